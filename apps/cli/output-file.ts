import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CommandError, NotFoundError } from './command-error.js';
import { flag } from './options.js';

/** The option of commands that write a file. */
export const FORCE = flag('replace the file if it exists');

/**
 * Checks, before a command begins its work, that it may write the file. Throws {@link CommandError} if the
 * file exists and the command may not replace it, and {@link NotFoundError} if its folder does not exist.
 */
export function ensureWritable(file: string | undefined, mayReplace: boolean): void {
  if (file === undefined) return;
  ensureFolder(file);
  if (existsSync(file) && !mayReplace)
    throw new CommandError(`${file} exists already: name another file, or replace it with --force.`);
}

/** Throws {@link NotFoundError} if the folder of a file does not exist. */
export function ensureFolder(file: string): void {
  const folder = dirname(resolve(file));
  if (!existsSync(folder))
    throw new NotFoundError(`The folder ${folder} does not exist: make it first, or name another one.`);
}

/** Writes a file that an operator named. Throws {@link CommandError} if it cannot be written. */
export async function writeOutput(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
