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

/** A group whose commands are loaded when a command line names it, with all that they work with. */
interface Group {
  readonly description: string;
  readonly load: () => Promise<{ readonly commands: Readonly<Record<string, Entry>> }>;
}

/** The commands and the groups of the program, in the order of `--help`. */
const TABLE: Readonly<Record<string, Entry | Group>> = {
  start,
  api,
  worker,
  migrate,
  organisations: {
    description: 'create and set up organisations',
    load: () => import('./commands/organisations.js'),
  },
  keys: {
    description: 'create, list and revoke API keys',
    load: () => import('./commands/keys.js'),
  },
  users: {
    description: 'invite, list and change the people who sign in',
    load: () => import('./commands/users.js'),
  },
  sandbox: {
    description: "manage the synthetic data that an organisation's test keys work with",
    load: () => import('./commands/sandbox.js'),
  },
  locations: {
    description: 'manage the locations of an organisation',
    load: () => import('./commands/locations.js'),
  },
  'org-units': {
    description: 'manage the divisions, departments and teams of an organisation',
    load: () => import('./commands/org-units.js'),
  },
  'working-patterns': {
    description: 'manage the working patterns of an organisation',
    load: () => import('./commands/working-patterns.js'),
  },
  reference: {
    description: 'manage the reference dictionaries of an organisation',
    load: () => import('./commands/reference.js'),
  },
  people: {
    description: 'list and show people, manage their personal profiles and pictures, and erase personal data',
    load: () => import('./commands/people.js'),
  },
  documents: {
    description: "manage the metadata of people's documents; their content is not stored",
    load: () => import('./commands/documents.js'),
  },
  'provider-mappings': {
    description: 'manage the ids that providers use for the resources of an organisation',
    load: () => import('./commands/provider-mappings.js'),
  },
  proposals: {
    description: 'list, approve and reject the writes that AI clients proposed',
    load: () => import('./commands/proposals.js'),
  },
  mcp: {
    description: 'set what AI clients may write without an approval',
    load: () => import('./commands/mcp.js'),
  },
  'custom-fields': {
    description: 'manage the custom fields of an organisation',
    load: () => import('./commands/custom-fields.js'),
  },
  'time-off-categories': {
    description: 'manage the kinds of time off of an organisation',
    load: () => import('./commands/time-off-categories.js'),
  },
  'time-off-settings': {
    description: 'show and set how an organisation calculates time off',
    load: () => import('./commands/time-off-settings.js'),
  },
  'public-holidays': {
    description: "show an organisation's public holidays, and add and remove days",
    load: () => import('./commands/public-holidays.js'),
  },
  'time-off': {
    description: 'list, approve, reject and cancel the time off of people',
    load: () => import('./commands/time-off.js'),
  },
  'time-off-balances': {
    description: 'show the time off that people have left',
    load: async () => ({ commands: (await import('./commands/time-off.js')).balanceCommands }),
  },
  webhooks: {
    description: 'manage webhook endpoints and deliveries, and receive events on this machine',
    load: () => import('./commands/webhooks.js'),
  },
  deliveries,
  import: {
    description: 'import people, employment history, time off and locations from CSV files',
    load: () => import('./commands/import.js'),
  },
  projections: {
    description: 'show the progress of projections, and rebuild read tables',
    load: () => import('./commands/projections.js'),
  },
  backup,
  restore,
  timeline,
  audit: {
    description: 'prove that history was not altered, and report who changed what',
    load: () => import('./commands/audit.js'),
  },
  secrets: {
    description: 'manage the keys of the installation; no command shows a key',
    load: () => import('./commands/secrets.js'),
  },
  events: {
    description: 'move the whole history from one event store to another',
    load: () => import('./commands/events.js'),
  },
  config: {
    description: 'show the configuration of this process',
    load: () => import('./commands/config.js'),
  },
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
    const group = program.command(name).description(row.description);
    if (words?.includes(name) !== false) addEntries(group, (await row.load()).commands);
  }
  return program;
}

/** Prints the versions. It reads package.json only now, because every command loads this file. */
function printVersions(): never {
  process.stdout.write(`Workforce HR ${programVersion()}, Node.js ${process.versions.node}\n`);
  process.exit(EXIT_CODES.done);
}
