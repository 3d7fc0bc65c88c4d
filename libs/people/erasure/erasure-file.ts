import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { codeOf } from '#database/error-code.js';
import type { Actor } from '#event-store/event-store.js';
import { parseJson } from '#kernel/json.js';
import type { Erasure } from './erasure-list.js';

/** An erasure in a file: enough data to repeat it on a restored backup. */
export interface FiledErasure {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly requested_at: string;
  readonly actor: Actor;
  readonly reason: string | null;
}

/** The file is not a complete list of erasures; the message is one sentence. */
class ErasureFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ErasureFileError';
  }
}

/**
 * Writes a whole list: one line of JSON per erasure and a last line with their number, which reveals a
 * truncated file.
 */
export async function writeErasureFile(path: string, erasures: readonly Erasure[]): Promise<void> {
  const lines = [...erasures.map(lineOf), `${JSON.stringify({ count: erasures.length })}\n`];
  await writeFile(`${path}.unfinished`, lines.join(''), { mode: 0o600, flush: true });
  await rename(`${path}.unfinished`, path);
}

/** Appends an erasure to a growing list, durably when it returns. A listed erasure is not added again. */
export async function appendToErasureFile(path: string, erasure: Erasure): Promise<void> {
  const text = await textOf(path);
  const line = lineOf(erasure);
  if (text.split('\n').includes(line.trimEnd())) return;
  const file = await open(path, 'a', 0o600);
  try {
    // After a crash in the middle of a line, the next erasure starts a new line.
    await file.write(text === '' || text.endsWith('\n') ? line : `\n${line}`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * The erasures of a file; empty if there is no such file and `optional` is set. `growing`: a list that {@link
 * appendToErasureFile} writes, in which a crash may have left half a line; the erasure of that line destroyed
 * nothing. Throws {@link ErasureFileError}.
 */
export async function readErasureFile(
  path: string,
  { optional = false, growing = false } = {},
): Promise<readonly FiledErasure[]> {
  if (!optional) await requireFile(path);
  const lines = (await textOf(path)).split('\n').filter((line) => line.trim() !== '');
  const erasures: FiledErasure[] = [];
  for (const [index, line] of lines.entries()) {
    const read = parsed(line);
    if (isErasure(read)) erasures.push(read);
    else if (typeof read?.['count'] === 'number') requireCount(path, read['count'], erasures.length);
    else if (!growing)
      throw new ErasureFileError(
        `Line ${index + 1} of ${path} is not an erasure: use a file that "workforce people erasures --export" wrote.`,
      );
  }
  return erasures;
}

function lineOf({ organisation_id, person_id, requested_at, actor, reason }: Erasure): string {
  return `${JSON.stringify({ organisation_id, person_id, requested_at, actor, reason })}\n`;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return parseJson(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function isErasure(read: unknown): read is FiledErasure {
  const { organisation_id, person_id, requested_at } = (read ?? {}) as Record<string, unknown>;
  return (
    [organisation_id, person_id, requested_at].every((value) => typeof value === 'string') &&
    !Number.isNaN(Date.parse(String(requested_at)))
  );
}

function requireCount(path: string, said: number, found: number): void {
  if (said !== found)
    throw new ErasureFileError(
      `${path} is incomplete: it declares ${said} erasures and contains ${found}; export it again.`,
    );
}

async function requireFile(path: string): Promise<void> {
  const file = await open(path).catch((error: unknown) => {
    throw new ErasureFileError(`The list of erasures ${path} cannot be read (${codeOf(error) ?? 'unknown'}).`);
  });
  await file.close();
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
