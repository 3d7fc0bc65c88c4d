import { VARIABLES } from './configuration.js';

/** The text of `docs/reference/configuration.md`. */
export function configurationReference(): string {
  const rows = Object.values(VARIABLES).map(
    ({ name, byDefault, form, summary }) => `| \`${name}\` | ${byDefault === null ? '' : `\`${byDefault}\``} | ${form} | ${summary} |`,
  );
  return [
    '# Configuration',
    '',
    'The program is configured by environment variables and runs without any. A variable that is empty is not set. All',
    'mistakes are reported at once, one sentence each, and nothing is started.',
    '',
    '| Variable | Default | Value | What it does |',
    '|---|---|---|---|',
    ...rows,
    '',
    'This page is written by `node scripts/write-configuration-reference.mjs` from `libs/configuration/configuration.ts`.',
    '',
  ].join('\n');
}
