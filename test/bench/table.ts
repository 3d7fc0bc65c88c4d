import type { Spread } from './statistics.js';

/** A figure and the floor that it is held to. */
export interface Floor {
  /** In words, with the figure's unit. */
  readonly floor: string;
  readonly isMet: boolean;
}

/** One line of the table. */
export interface Line {
  readonly what: string;
  /** What the product did, with its unit. */
  readonly product: string;
  /** What it is compared with. */
  readonly baselines: readonly string[];
  readonly ratios: readonly string[];
  readonly floors: readonly Floor[];
}

const HEADINGS = ['Measurement', 'Product', 'Beside', 'Ratio', 'Floor', 'Verdict'];

/** Thousands apart, as a person reads them. */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en-GB');
}

/** A figure with how far apart its rounds were. */
export function spreadText(
  { median, lowest, highest }: Spread,
  text = (number: number): string => number.toFixed(2),
): string {
  return `${text(median)} (${text(lowest)}–${text(highest)})`;
}

/** A floor that a number may not fall below. */
export function atLeast(floor: number, actual: number, unit = ''): Floor {
  return { floor: `≥ ${floor >= 1_000 ? count(floor) : floor}${unit}`, isMet: actual >= floor };
}

/** A ceiling that a number may not exceed. */
export function atMost(ceiling: number, actual: number, unit = ''): Floor {
  return { floor: `≤ ${ceiling}${unit}`, isMet: actual <= ceiling };
}

/**
 * The table in Markdown, columns aligned so that a terminal shows it well too. A line that misses one of its
 * floors says which.
 */
export function tableOf(lines: readonly Line[]): string {
  const cells = [HEADINGS, ...lines.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const rows = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  return [rows[0], `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.slice(1)].join('\n');
}

function cellsOf({ what, product, baselines, ratios, floors }: Line): readonly string[] {
  const missed = floors.filter(({ isMet }) => !isMet).map(({ floor }) => floor);
  const verdict = missed.length === 0 ? 'met' : floors.length === 1 ? '**missed**' : `**missed**: ${missed.join('; ')}`;
  return [what, product, baselines.join('; '), ratios.join('; '), floors.map(({ floor }) => floor).join('; '), verdict];
}
