/** One line of the table. */
export interface Line {
  readonly what: string;
  /** The number that the line is about and its goal, if any, is compared with: of each run, in their order. */
  readonly figures: readonly number[];
  /** What the goal is compared with, where there is a baseline. */
  readonly ratio: string;
  readonly goal: string;
  /** null where there is no goal. */
  readonly isMet: boolean | null;
  /** What the product did, with its unit. */
  readonly product: string;
  /** The baseline; empty where there is none. */
  readonly bare: string;
  readonly throughputRatio: string;
  /** What the figure leaves out, and what else was seen. */
  readonly remarks: string;
}

const HEADINGS = ['Measurement', 'Ratio', 'Goal', 'Met', 'Product', 'Bare', 'Throughput ratio', 'Each run', 'Remarks'];
/** The columns that the README has. */
const SHORT_COLUMNS = 6;
const GOAL_COLUMN = HEADINGS.indexOf('Goal');
/** From here on numbers have no decimals. */
const WHOLE = 100;

/** Thousands apart, as a person reads them. */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en-GB');
}

/** A ratio with how far apart its rounds were. */
export function ratioText({
  median,
  lowest,
  highest,
}: {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}): string {
  return `${median.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`;
}

/**
 * The lines of several runs of the same benches in one: each as the run with the middle figure has it, with the figures of all. Of an even number of
 * runs it is the lower of the two in the middle.
 */
export function middleOf(runs: readonly (readonly Line[])[]): readonly Line[] {
  return runs[0]!.map(({ what }) => {
    const lines = runs.flatMap((run) => run.filter((line) => line.what === what));
    const sorted = [...lines].sort((one, other) => one.figures[0]! - other.figures[0]!);
    return { ...sorted[(sorted.length - 1) >> 1]!, figures: lines.flatMap(({ figures }) => figures) };
  });
}

/** The table in Markdown, columns aligned so that a terminal shows it well too. */
export function tableOf(lines: readonly Line[]): string {
  return markdown([HEADINGS, ...lines.map(cellsOf)]);
}

/** The table for the README: what has a goal, without the columns that need the whole page to be understood. */
export function shortTableOf(lines: readonly Line[]): string {
  return short([HEADINGS, ...lines.map(cellsOf)]);
}

/** The short table of a page that {@link tableOf} is on. Throws where it has none. */
export function shortTableIn(page: string): string {
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  if (rows.length === 0) throw new Error('the page has no table');
  return short(
    rows.map((row) =>
      row
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim()),
    ),
  );
}

function short(cells: readonly (readonly string[])[]): string {
  return markdown(cells.filter((row) => row[GOAL_COLUMN] !== '').map((row) => row.slice(0, SHORT_COLUMNS)));
}

function cellsOf({ what, figures, ratio, goal, isMet, product, bare, throughputRatio, remarks }: Line): readonly string[] {
  const eachRun = figures.map((figure) => (figure < WHOLE ? figure.toFixed(2) : count(figure))).join('; ');
  return [what, ratio, goal, isMet === null ? '' : isMet ? 'yes' : 'no', product, bare, throughputRatio, eachRun, remarks];
}

function markdown(cells: readonly (readonly string[])[]): string {
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const rows = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [rows[0], rule, ...rows.slice(1)].join('\n');
}
