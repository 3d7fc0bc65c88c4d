import { Command } from 'commander';
import { programVersion } from '#embedded-postgres/program-root.js';
import type { Entry } from './command.js';
import { EXIT_CODES } from './exit-code.js';

/** A command outside of the groups: its file, and its description. */
type Single = readonly [file: string, description: string];

/**
 * The groups and commands of the program with their descriptions, in the order of `--help`. The commands of a
 * group are in the file of its name. A file and its dependencies are loaded only if the command line names
 * it.
 */
const TABLE: Readonly<Record<string, string | Single>> = {
  start: [
    'start',
    'run the API, the sandbox, the operations listener and the worker, with the embedded PostgreSQL if ' +
      'DATABASE_URL is not set',
  ],
  api: ['start', 'run the API, the sandbox and the operations listener'],
  worker: ['start', 'run the worker and the operations listener'],
  migrate: ['migrate', 'migrate the database schema to the version of this program'],
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
  deliveries: [
    'deliveries',
    'show failing webhook endpoints of all organisations, since when they fail, and their waiting deliveries',
  ],
  import: 'import people, employment history, time off and locations from CSV files',
  projections: 'show the progress of projections, and rebuild read tables',
  backup: ['backup', 'write a consistent snapshot of everything to one file, while reads and writes continue'],
  restore: ['backup', 'restore a backup into an empty database, repeat the erasures made since, and verify the result'],
  timeline: ['timeline', "show a person's employment over time, and every fact recorded about it"],
  audit: 'prove that history was not altered, and report who changed what',
  secrets: 'manage the keys of the installation; no command shows a key',
  events: 'move the whole history from one event store to another',
  config: 'show the configuration of this process',
  doctor: ['doctor', 'check the set-up and recommend fixes'],
  completion: ['completion', 'print a script that completes commands, options and their values in a shell'],
};

/**
 * The `workforce` program. Only the commands and groups that `words` names are loaded; all without `words`.
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
    const [file, description] = typeof row === 'string' ? [name, row] : row;
    const commands = words?.includes(name) === false ? {} : await commandsOf(file);
    const single = typeof row === 'string' ? undefined : commands[name];
    if (single === undefined) addGroup(program.command(name), commands);
    else single(program, name);
    program.commands.at(-1)!.description(description);
  }
  return program;
}

function addGroup(group: Command, commands: Readonly<Record<string, Entry>>): void {
  for (const [name, entry] of Object.entries(commands)) entry(group, name);
}

async function commandsOf(name: string): Promise<Readonly<Record<string, Entry>>> {
  const file = (await import(`./commands/${name}.js`)) as { readonly commands: Readonly<Record<string, Entry>> };
  return file.commands;
}

/** Prints the versions. It reads package.json only now, because every command loads this file. */
function printVersions(): never {
  process.stdout.write(`Workforce HR ${programVersion()}, Node.js ${process.versions.node}\n`);
  process.exit(EXIT_CODES.done);
}
