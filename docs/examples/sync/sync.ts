// Keeps a copy of all people of Workforce HR that loses nothing. Node.js 20.19 or newer, no library.
//
//     WORKFORCE_API_KEY=svc_live_… npx tsx sync.ts https://hr.example.com copy.json
//
// Run it on a schedule, and after a webhook. Yours keeps the rows and the time in one table each.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { argv, env } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

export interface Person {
  readonly id: string;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

interface Page {
  readonly data: readonly Person[];
  readonly pagination: { readonly next_cursor?: string };
}

/** The rows by id, and the largest `updated_at` of the last run that came to its end. */
export interface Copy {
  since: string;
  rows: Record<string, Person>;
}

const BEGINNING = '1970-01-01T00:00:00Z';
const ATTEMPTS = 8;

/** Brings the copy in the file up to date. A run that fails changes nothing, and the next one repeats it. */
export async function sync(address: string, apiKey: string, file: string, limit = 200): Promise<Copy> {
  const copy = await readCopy(file);
  let largest = copy.since;
  let cursor: string | undefined;
  do {
    // The same updated_since for every page: the cursor belongs to it.
    const query = new URLSearchParams({ updated_since: copy.since, limit: String(limit), ...(cursor && { cursor }) });
    const page = await read(`${address}/api/v1/people?${query}`, apiKey);
    for (const person of page.data) {
      // Rows may repeat, because updated_since is inclusive: the last one counts.
      copy.rows[person.id] = person;
      if (person.updated_at > largest) largest = person.updated_at;
    }
    cursor = page.pagination.next_cursor;
  } while (cursor);
  // The time moves only after the last page, together with the rows: rename replaces the file at once.
  const next = { ...copy, since: largest };
  await writeFile(`${file}.new`, JSON.stringify(next));
  await rename(`${file}.new`, file);
  return next;
}

async function readCopy(file: string): Promise<Copy> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Copy;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { since: BEGINNING, rows: {} };
    throw error;
  }
}

/**
 * Repeats a read after a failure of the network, 429 and 5xx, with growing pauses or those of Retry-After.
 */
async function read(url: string, apiKey: string): Promise<Page> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } }).catch((error: unknown) => {
      if (attempt === ATTEMPTS) throw error;
      return null;
    });
    if (answer?.ok) return (await answer.json()) as Page;
    const isTemporary = answer === null || answer.status === 429 || answer.status >= 500;
    if (!isTemporary || attempt === ATTEMPTS) throw new Error(`${answer?.status}: ${await answer?.text()}`);
    await pause(1_000 * Number(answer?.headers.get('retry-after') ?? 2 ** (attempt - 1)));
  }
}

if (argv[1]?.endsWith('sync.ts')) void sync(argv[2]!, env['WORKFORCE_API_KEY'] ?? '', argv[3]!);
