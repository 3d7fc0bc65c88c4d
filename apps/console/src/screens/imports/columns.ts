import type { Schemas } from '../../data/client.js';
import { cellsOfLine } from './file-text.js';

/** The columns of one kind of file, with the organisation's mapping. */
export type KindColumns = Schemas['ImportColumnsOfKind'];
export type Mapping = readonly Schemas['ColumnMappingEntry'][];

const DELIMITERS = [',', ';', '\t', '|'];
const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]*$/i;

/** The header of a text, its line from 1, and the delimiter, as the service detects them. */
export function headOf(text: string): {
  readonly headers: readonly string[];
  readonly line: number;
  readonly delimiter: string;
} {
  const [first = '', second = ''] = text.split('\n', 2);
  const named = SEPARATOR_LINE.exec(first)?.[1];
  if (named !== undefined) return { headers: trimmed(cellsOfLine(second, named)), line: 2, delimiter: named };
  const plain = first.replace(/"(?:[^"]|"")*"?/g, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))]!;
  return { headers: trimmed(cellsOfLine(first, delimiter)), line: 1, delimiter };
}

const trimmed = (cells: readonly string[]): readonly string[] => cells.map((cell) => cell.trim());

/** A header without case, spaces and signs, in the service's comparable form. */
const keyOf = (header: string): string =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** The column of a header: null for one to ignore, undefined if unknown. */
export function meaningOf(header: string, { columns, mapping }: KindColumns): string | null | undefined {
  const key = keyOf(header);
  const mapped = mapping.find((entry) => keyOf(entry.header) === key);
  if (mapped !== undefined) return mapped.column;
  const named = columns.find(({ name }) => keyOf(name) === key);
  return (named ?? columns.find(({ synonyms }) => synonyms.some((word) => keyOf(word) === key)))?.name;
}

/** The mapping with these entries in place of those for the same headers. */
export function mergedMapping(mapping: Mapping, entries: Mapping): Mapping {
  const keys = new Set(entries.map(({ header }) => keyOf(header)));
  return [...mapping.filter(({ header }) => !keys.has(keyOf(header))), ...entries];
}
