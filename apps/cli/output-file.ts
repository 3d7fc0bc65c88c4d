import { writeFile } from 'node:fs/promises';
import { CommandError } from './command-error.js';

/** Writes a file that an operator named. Throws {@link CommandError} where that cannot be written. */
export async function writeOutput(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
