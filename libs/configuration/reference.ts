import { VARIABLES } from './configuration.js';
import { fileVariable } from './secret-file.js';

/** The text of `docs/reference/generated/configuration.md`. */
export function configurationReference(): string {
  const rows = Object.values(VARIABLES).map(
    ({ name, byDefault, form, summary, isSecret }) =>
      `| \`${name}\`${isSecret ? ` or \`${fileVariable(name)}\`` : ''} | ` +
      `${byDefault === null ? '' : `\`${byDefault}\``} | ${form} | ${summary} |`,
  );
  return [
    '# Configuration',
    '',
    'The program is configured by environment variables and runs without any. An empty variable counts as unset. All',
    'errors are reported at once, one sentence each, and the program does not start. No message repeats a secret.',
    '',
    'A variable with `…_FILE` next to it is a secret: the `…_FILE` variable names a file with the value, as ' +
      'container engines mount',
    'secrets. One line end after the value is ignored. Files are read once, when a process starts. Setting both is ' +
      'an error.',
    '',
    '| Variable | Default | Value | What it does |',
    '|---|---|---|---|',
    ...rows,
    '',
    'This page is written by `node scripts/write-reference-pages.mjs` from `libs/configuration/configuration.ts`.',
    '',
  ].join('\n');
}
