import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';

const MODULE = join('dist', 'apps', 'worker', 'yield-to-others.js');
const PROGRAM = `import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { yieldToOthers } from './${MODULE}';
yieldToOthers();
const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
console.log(JSON.stringify(threads.map((thread) => getPriority(thread))));`;

/** The priorities that the threads of a process have in the end which begins so many steps below this one. */
function prioritiesFrom(steps: number): readonly number[] {
  const command = ['-n', String(steps), process.execPath, '--input-type=module', '--eval', PROGRAM];
  return JSON.parse(execFileSync('nice', command, { encoding: 'utf8' })) as readonly number[];
}

describe('a worker', () => {
  it('has the priority below the usual one in all its threads, and keeps one that is lower still', () => {
    expect([...new Set(prioritiesFrom(0))]).toEqual([Math.max(10, getPriority())]);
    expect([...new Set(prioritiesFrom(15))]).toEqual([Math.min(19, getPriority() + 15)]);
  });
});
