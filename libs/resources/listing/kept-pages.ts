import { LRUCache } from 'lru-cache';
import type { Statement } from '#database/transaction.js';
import type { Executor } from '#projections/projection.js';
import { lastWriteOf } from '#projections/upsert.js';
import { NAMES_VERSION } from '../naming/reference-versions.js';
import { type ListedText, MOST_BYTES, type PageVersions, selectVersions } from './kept-texts.js';

/** The versions of a page, or null where `state` was known, with the state of the tables that they were read from. */
interface PageState extends PageVersions {
  /** Differs after every write of one of the tables, and never recurs. */
  readonly state: string;
}

interface KeptPage<Time> {
  readonly state: string;
  /** Null for a page that was asked for once in this state. */
  readonly rows: readonly ListedText<Time>[] | null;
}

/**
 * Selects the versions of a page (`selectVersions`) together with the state of the tables. Where that is the state that `known` names, the query for the rows
 * does not run.
 *
 * @param rows - reads these tables and names of other resources, and nothing else
 * @param tables - with marks, see {@link lastWriteOf}
 * @param known - a parameter of the statement, such as `$3`
 */
export function selectVersionsUnlessKept(rows: string, tables: readonly string[], known: string): string {
  const state = [...tables.map(lastWriteOf), NAMES_VERSION].map((part) => `coalesce((${part})::text, '-')`).join(` || ' ' || `);
  return `select now.state, page.* from (select ${state} as state offset 0) now
    cross join lateral (${selectVersions(`select r.* from (${rows}) r where now.state is distinct from ${known}`)}) page`;
}

/** More than the key and the state take, so that pages without rows are bounded too. */
const BYTES_OF_AN_EMPTY_PAGE = 1_000;

/**
 * The pages of a list that were shown, each with the state of its tables. A page is sent again where a statement has just read the same state, so it shows what
 * the database holds at that moment. After any write of the organisation's rows a page is put together again, see {@link KeptTexts}.
 *
 * Rows are kept from the second time on that a page is asked for in one state: where writes come between, or a client walks a list once, keeping them would cost
 * memory and its collection for nothing.
 */
export class KeptPages<Time> {
  private readonly kept = new LRUCache<string, KeptPage<Time>>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ rows }) => (rows ?? []).reduce((bytes, { json }) => bytes + json.utf8.length, BYTES_OF_AN_EMPTY_PAGE),
  });

  /**
   * The page of a statement of {@link selectVersionsUnlessKept} that lacks its last value, the state that is known. `rowsOf` finds the rows of a page that is
   * not kept, and may read them later: if the state is still the same when the page is asked for again, it was the same in between.
   */
  async find(
    executor: Executor,
    statement: Statement,
    rowsOf: (versions: PageVersions) => readonly ListedText<Time>[] | Promise<readonly ListedText<Time>[]>,
  ): Promise<readonly ListedText<Time>[]> {
    const key = JSON.stringify([statement.name, statement.values]);
    const kept = this.kept.get(key);
    const known = kept === undefined || kept.rows === null ? null : kept.state;
    const { rows } = await executor.query<PageState>({ ...statement, values: [...statement.values, known] });
    const found = rows[0]!;
    const isSame = kept?.state === found.state;
    if (isSame && kept.rows !== null) return kept.rows;
    const page = await rowsOf(found);
    this.kept.set(key, { state: found.state, rows: isSame ? page : null });
    return page;
  }
}
