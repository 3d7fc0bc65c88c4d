import { Command } from 'commander';
import { programVersion } from '#embedded-postgres/program-root.js';
import { addEntries, type Entry } from './command.js';
import { backup, restore } from './commands/backup.js';
import { completion } from './commands/completion.js';
import { deliveries } from './commands/deliveries.js';
import { doctor } from './commands/doctor.js';
import { migrate } from './commands/migrate.js';
import { timeline } from './commands/timeline.js';
import { api, start, worker } from './commands/start.js';
import { EXIT_CODES } from './exit-code.js';

/**
 * The commands of the program, and the descriptions of its groups, in the order of `--help`. The commands of a group
 * are in the file of its name, which is loaded when a command line names it, with all that they work with.
 */
const TABLE: Readonly<Record<string, Entry | string>> = {
  start,
  api,
  worker,
  migrate,
  organisations: 'create and set up organisations',
  keys: 'create, list and revoke API keys',
  users: 'invite, list and change the people who sign in',
  sandbox: "manage the synthetic data that an organisation's test keys work with",
  locations: 'manage the locations of an organisation',
  'org-units': 'manage the divisions, departments and teams of an organisation',
  'working-patterns': 'manage the working patterns of an organisation',
  reference: 'manage the reference dictionaries of an organisation',
  people: 'list and show people, manage their personal profiles and pictures, and erase personal data',
  documents: "manage the metadata of people's documents; their content is not stored",
  'provider-mappings': 'manage the ids that providers use for the resources of an organisation',
  proposals: 'list, approve and reject the writes that AI clients proposed',
  mcp: 'set what AI clients may write without an approval',
  'custom-fields': 'manage the custom fields of an organisation',
  'time-off-categories': 'manage the kinds of time off of an organisation',
  'time-off-settings': 'show and set how an organisation calculates time off',
  'public-holidays': "show an organisation's public holidays, and add and remove days",
  'time-off': 'list, approve, reject and cancel the time off of people',
  'time-off-balances': 'show the time off that people have left',
  webhooks: 'manage webhook endpoints and deliveries, and receive events on this machine',
  deliveries,
  import: 'import people, employment history, time off and locations from CSV files',
  projections: 'show the progress of projections, and rebuild read tables',
  backup,
  restore,
  timeline,
  audit: 'prove that history was not altered, and report who changed what',
  secrets: 'manage the keys of the installation; no command shows a key',
  events: 'move the whole history from one event store to another',
  config: 'show the configuration of this process',
  doctor,
  completion: completion(() => commandLine()),
};

/**
 * The `workforce` program. Of its groups, those that `words` names have their commands: all without `words`.
 */
export async function commandLine(words?: readonly string[]): Promise<Command> {
  const program = new Command('workforce')
    .description('Workforce HR: a self-hosted human-resources service')
    .option('-V, --version', 'print the versions of the program and of Node.js')
    .on('option:version', printVersions)
    .showHelpAfterError('(see --help)')
    // Commander would exit with 1 for every mistake in the command line.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage));
  for (const [name, row] of Object.entries(TABLE)) {
    if (typeof row === 'function') {
      row(program, name);
      continue;
    }
    const group = program.command(name).description(row);
    if (words?.includes(name) !== false) addEntries(group, await commandsOf(name));
  }
  return program;
}

async function commandsOf(group: string): Promise<Readonly<Record<string, Entry>>> {
  const file = (await import(`./commands/${group}.js`)) as { readonly commands: Readonly<Record<string, Entry>> };
  return file.commands;
}

/** Prints the versions. It reads package.json only now, because every command loads this file. */
function printVersions(): never {
  process.stdout.write(`Workforce HR ${programVersion()}, Node.js ${process.versions.node}\n`);
  process.exit(EXIT_CODES.done);
}
