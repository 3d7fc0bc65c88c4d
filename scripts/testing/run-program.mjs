import { spawn } from 'node:child_process';
import { join } from 'node:path';

const BIN = join('node_modules', '.bin');

/**
 * Runs a program of `node_modules/.bin`, or `node`. Its output comes in one piece when it ends, so that
 * programs may run side by side. Resolves to whether it succeeded and how many seconds it took.
 */
export function runProgram([program, ...parameters]) {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(program === 'node' ? process.execPath : join(BIN, program), parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve({ succeeded: code === 0, seconds: (Date.now() - startedAt) / 1_000 });
    });
  });
}
