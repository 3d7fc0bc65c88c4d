import { countInWordsWithVerb } from '#kernel/count-in-words.js';
import type { Outcome } from './declaration.js';
import { MAX_LIMIT } from './options.js';

type Cell = string | number | Date | null | undefined;

/** The columns of a table by their headings: the field of a cell, or a function of the row. */
export type Columns<Row> = Readonly<
  Record<string, { [Name in keyof Row]: Row[Name] extends Cell ? Name : never }[keyof Row] | ((row: Row) => Cell)>
>;

/**
 * Returns rows under headings, each column as wide as its widest cell. An empty cell stands for null and
 * undefined, ISO 8601 for a date.
 */
export function tableOf<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  const fields = Object.values(columns);
  const cells = rows.map((row) =>
    fields.map((field) => {
      const cell = typeof field === 'function' ? field(row) : (row[field as keyof Row] as Cell);
      return cell instanceof Date ? cell.toISOString() : String(cell ?? '');
    }),
  );
  const all = [Object.keys(columns), ...cells];
  const widths = fields.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return all.map((row) => line(row).trimEnd()).join('\n');
}

/** The outcome of a list: `{ [member]: rows }` and a table. */
export function listOf<Row>(
  member: string,
  rows: readonly Row[],
  columns: Columns<Row>,
  present: (row: Row) => unknown = (row) => row,
): Outcome {
  return { json: { [member]: rows.map(present) }, text: tableOf(columns, rows) };
}

/**
 * The same for a list that was read with one row more than its limit: `has_more`, and a sentence below the
 * table, tell whether there are more.
 */
export function cutListOf<Row>(
  [member, ...name]: readonly [member: string, one: string, many?: string],
  limit: number,
  found: readonly Row[],
  columns: Columns<NoInfer<Row>>,
  present: (row: Row) => unknown = (row) => row,
): Outcome {
  const hasMore = found.length > limit;
  const rows = found.slice(0, limit);
  const sentence = `${countInWordsWithVerb(limit, ...name)} shown, and there are more: --limit shows up to ${MAX_LIMIT}.`;
  return {
    json: { [member]: rows.map(present), has_more: hasMore },
    text: `${tableOf(columns, rows)}${hasMore ? `\n\n${sentence}` : ''}`,
  };
}
