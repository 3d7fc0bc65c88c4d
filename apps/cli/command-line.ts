import { Command } from 'commander';
import { programVersion } from '#embedded-postgres/program-root.js';
import { addEntries, type Entry } from './command.js';
import { register as registerAudit } from './commands/audit.js';
import { register as registerBackup } from './commands/backup.js';
import { register as registerCustomFields } from './commands/custom-fields.js';
import { register as registerDeliveries } from './commands/deliveries.js';
import { register as registerDoctor } from './commands/doctor.js';
import { register as registerEvents } from './commands/events.js';
import { register as registerImport } from './commands/import.js';
import { register as registerKeys } from './commands/keys.js';
import { register as registerMcp } from './commands/mcp.js';
import { register as registerMigrate } from './commands/migrate.js';
import { register as registerOrganisations } from './commands/organisations.js';
import { register as registerPeople } from './commands/people.js';
import { register as registerProjections } from './commands/projections.js';
import { register as registerProposals } from './commands/proposals.js';
import { register as registerProviderMappings } from './commands/provider-mappings.js';
import { register as registerReference } from './commands/reference.js';
import { register as registerSandbox } from './commands/sandbox.js';
import { register as registerTimeOff } from './commands/time-off.js';
import { register as registerTimeline } from './commands/timeline.js';
import { register as registerSecrets } from './commands/secrets.js';
import { register as registerStart } from './commands/start.js';
import { register as registerUsers } from './commands/users.js';
import { register as registerWebhooks } from './commands/webhooks.js';
import { EXIT_CODES } from './exit-code.js';

/** A group whose commands are loaded when a command line names it, with all that they work with. */
interface Group {
  readonly description: string;
  readonly load: () => Promise<{ readonly commands: Readonly<Record<string, Entry>> }>;
}

/** The commands and the groups of the program, in the order of `--help`. */
const TABLE: Readonly<Record<string, Entry | Group>> = {
  start: registerStart,
  migrate: registerMigrate,
  organisations: registerOrganisations,
  keys: registerKeys,
  users: registerUsers,
  sandbox: registerSandbox,
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
  reference: registerReference,
  people: registerPeople,
  documents: {
    description: "manage the metadata of people's documents; their content is not stored",
    load: () => import('./commands/documents.js'),
  },
  'provider-mappings': registerProviderMappings,
  proposals: registerProposals,
  mcp: registerMcp,
  'custom-fields': registerCustomFields,
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
  'time-off': registerTimeOff,
  webhooks: registerWebhooks,
  deliveries: registerDeliveries,
  import: registerImport,
  projections: registerProjections,
  backup: registerBackup,
  timeline: registerTimeline,
  audit: registerAudit,
  secrets: registerSecrets,
  events: registerEvents,
  doctor: registerDoctor,
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
