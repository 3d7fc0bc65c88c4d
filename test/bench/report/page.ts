import { type Line, shortTableOf, tableOf } from './table.js';

/** What a page says beside its table. */
export interface PageTexts {
  readonly machine: string;
  readonly circumstances: readonly string[];
  readonly method: readonly string[];
}

/** The whole page for `docs/`. */
export function pageOf(lines: readonly Line[], { machine, circumstances, method }: PageTexts): string {
  return `# Benchmarks

Written by \`npm run bench\`; do not edit by hand.

Machine: ${machine}. All processes of a measurement, the load generator among them, share it. ${circumstances.join(' ')}

${tableOf(lines)}

## How it is measured

${method.map((sentence) => `- ${sentence}`).join('\n')}
`;
}

const HEADING = '## How fast it is\n';

/** The README with the table of its chapter on speed replaced. Throws where that chapter or its table is missing. */
export function withTable(readme: string, lines: readonly Line[]): string {
  const { start, end } = tablePlaceIn(readme);
  return readme.slice(0, start) + shortTableOf(lines) + readme.slice(end);
}

/** The table of the README's chapter on speed. */
export function tableIn(readme: string): string {
  const { start, end } = tablePlaceIn(readme);
  return readme.slice(start, end);
}

function tablePlaceIn(readme: string): { readonly start: number; readonly end: number } {
  const chapter = readme.indexOf(HEADING);
  const start = readme.indexOf('\n|', chapter) + 1;
  const end = readme.indexOf('\n\n', start);
  if (chapter < 0 || start === 0 || end < 0) throw new Error('README.md has no table under “How fast it is”');
  return { start, end };
}
