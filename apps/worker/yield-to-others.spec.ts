import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';

const MODULE = join('dist', 'apps', 'worker', 'yield-to-others.js');
const PROGRAM = `import os from 'node:os';
import { yieldToOthers } from './${MODULE}';
yieldToOthers();
console.log(os.getPriority());`;

/** The priority that a process has in the end which begins so many steps below this one. */
function priorityFrom(steps: number): number {
  const command = ['-n', String(steps), process.execPath, '--input-type=module', '--eval', PROGRAM];
  return Number(execFileSync('nice', command, { encoding: 'utf8' }));
}

describe('a worker', () => {
  it('has the priority below the usual one, and keeps one that is lower still', () => {
    expect(priorityFrom(0)).toBe(Math.max(10, getPriority()));
    expect(priorityFrom(15)).toBe(Math.min(19, getPriority() + 15));
  });
});
