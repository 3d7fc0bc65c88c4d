import { type Entry, ownCommand } from '../command.js';
import type { Outcome } from '../declaration.js';
import type { Setting } from '#configuration/configuration.js';
import { tableOf } from '../text-table.js';

const MASK = '********';

/** `workforce config …`. */
export const commands: Readonly<Record<string, Entry>> = {
  show: ownCommand({
    description: 'show every variable, its value and where it comes from; secrets are masked',
    run: () => showSettings(process.env),
  }),
};

/** The settings of an environment. */
export async function showSettings(environment: NodeJS.ProcessEnv): Promise<Outcome> {
  const { issuesBetween, readSettings } = await import('#configuration/configuration.js');
  const settings = readSettings(environment);
  const rows = settings.map((setting) => ({
    name: setting.variable.name,
    value: shownValue(setting),
    source: setting.source.kind,
    file: setting.source.kind === 'file' ? setting.source.path : null,
    is_secret: setting.variable.isSecret,
  }));
  const issues = [
    ...settings.flatMap(({ issue }) => (issue === null ? [] : [issue])),
    ...issuesBetween(settings, environment),
  ];
  const table = tableOf(
    {
      VARIABLE: 'name',
      VALUE: ({ value }) => (Array.isArray(value) ? value.join(',') : String(value ?? '')),
      FROM: ({ source, file }) => file ?? source,
    },
    rows,
  );
  return {
    json: { ok: issues.length === 0, variables: rows, issues },
    text: issues.length === 0 ? table : [table, '', ...issues].join('\n'),
    exitCode: issues.length === 0 ? 0 : 1,
  };
}

/** The value in use, or the refused text; of a secret at most the address in it. */
function shownValue({ variable, text, value, issue }: Setting): unknown {
  if (text === null || !variable.isSecret) return issue === null ? value : text;
  return issue === null && variable.form.includes('://') ? addressOf(text) : MASK;
}

/** The scheme, hosts and path of an address, without credentials and parameters. */
function addressOf(text: string): string {
  const [, scheme, credentials, place, parameters] = /^([a-z+]+:\/\/)([^@]*@)?([^@?#]*)([?#].*)?$/i.exec(text) ?? [];
  if (scheme === undefined) return MASK;
  // After an unencoded slash, a part of a password would be taken for the path.
  const isPlain = credentials === undefined || !/[/?#]/.test(credentials);
  if (!isPlain) return MASK;
  return `${scheme}${credentials === undefined ? '' : `${MASK}@`}${place}${parameters === undefined ? '' : `?${MASK}`}`;
}
