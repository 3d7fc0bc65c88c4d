import { cpus, loadavg, totalmem } from 'node:os';

/** One line of the table. */
export interface Line {
  readonly what: string;
  /** What the product did, with its unit. */
  readonly product: string;
  /** What it is held against; empty where it stands alone. */
  readonly bare: string;
  readonly ratio: string;
  readonly goal: string;
  /** null where there is no goal. */
  readonly isMet: boolean | null;
  readonly remarks: string;
}

const HEADINGS = ['Measurement', 'Product', 'Bare', 'Ratio', 'Goal', 'Met', 'Remarks'];

/** Thousands apart, as a person reads them. */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en-GB');
}

/** The machine, in a sentence. */
export function machine(postgresVersion: string): string {
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown processor'}, ${gigabytes} GB of memory, ${process.platform} ${process.arch}, Node ${process.versions.node}, PostgreSQL ${postgresVersion} (fsync on)`;
}

/** The table in Markdown, columns aligned so that a terminal shows it well too. */
export function tableOf(lines: readonly Line[]): string {
  const cells = [
    HEADINGS,
    ...lines.map(({ what, product, bare, ratio, goal, isMet, remarks }) => [
      what,
      product,
      bare,
      ratio,
      goal,
      isMet === null ? '' : isMet ? 'yes' : 'no',
      remarks,
    ]),
  ];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const rows = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [rows[0], rule, ...rows.slice(1)].join('\n');
}

/** How busy others kept the machine, from what it was before the first measurement: absolute figures go by it. */
export function business(): string {
  const [minute = 0] = loadavg();
  return minute < 0.5 * cpus().length
    ? 'The machine was quiet.'
    : `The machine was not quiet: others kept ${minute.toFixed(1)} threads running when the run began, so absolute figures are too low, and ratios wider apart than they need be.`;
}

/** The whole page for `docs/`. */
export function pageOf(lines: readonly Line[], machineSentence: string, busy: string, method: readonly string[]): string {
  return `# Benchmarks

Written by \`npm run bench\`; do not edit by hand.

Machine: ${machineSentence}. All processes of a measurement, the load generator among them, share it. ${busy}

${tableOf(lines)}

## How it is measured

${method.map((sentence) => `- ${sentence}`).join('\n')}
`;
}
