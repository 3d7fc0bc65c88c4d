import { Command } from 'commander';
import { programVersion } from '#embedded-postgres/program-root.js';
import { register as registerAudit } from './commands/audit.js';
import { register as registerBackup } from './commands/backup.js';
import { register as registerCustomFields } from './commands/custom-fields.js';
import { register as registerDeliveries } from './commands/deliveries.js';
import { register as registerDoctor } from './commands/doctor.js';
import { register as registerDocuments } from './commands/documents.js';
import { register as registerEvents } from './commands/events.js';
import { register as registerImport } from './commands/import.js';
import { register as registerKeys } from './commands/keys.js';
import { register as registerLocations } from './commands/locations.js';
import { register as registerMcp } from './commands/mcp.js';
import { register as registerMigrate } from './commands/migrate.js';
import { register as registerOrganisations } from './commands/organisations.js';
import { register as registerOrgUnits } from './commands/org-units.js';
import { register as registerPeople } from './commands/people.js';
import { register as registerProjections } from './commands/projections.js';
import { register as registerProposals } from './commands/proposals.js';
import { register as registerProviderMappings } from './commands/provider-mappings.js';
import { register as registerReference } from './commands/reference.js';
import { register as registerSandbox } from './commands/sandbox.js';
import { register as registerTimeOffSetUp } from './commands/time-off-set-up.js';
import { register as registerTimeOff } from './commands/time-off.js';
import { register as registerTimeline } from './commands/timeline.js';
import { register as registerSecrets } from './commands/secrets.js';
import { register as registerStart } from './commands/start.js';
import { register as registerUsers } from './commands/users.js';
import { register as registerWebhooks } from './commands/webhooks.js';
import { register as registerWorkingPatterns } from './commands/working-patterns.js';
import { EXIT_CODES } from './exit-code.js';

/** Each file of `commands/` adds its command, or its group of commands, to the program. */
const REGISTER: readonly ((program: Command) => void)[] = [
  registerStart,
  registerMigrate,
  registerOrganisations,
  registerKeys,
  registerUsers,
  registerSandbox,
  registerLocations,
  registerOrgUnits,
  registerWorkingPatterns,
  registerReference,
  registerPeople,
  registerDocuments,
  registerProviderMappings,
  registerProposals,
  registerMcp,
  registerCustomFields,
  registerTimeOffSetUp,
  registerTimeOff,
  registerWebhooks,
  registerDeliveries,
  registerImport,
  registerProjections,
  registerBackup,
  registerTimeline,
  registerAudit,
  registerSecrets,
  registerEvents,
  registerDoctor,
];

/** The `workforce` program with all its commands. */
export function commandLine(): Command {
  const program = new Command('workforce')
    .description('Workforce HR: a self-hosted human-resources service')
    .option('-V, --version', 'print the versions of the program and of Node.js')
    .on('option:version', printVersions)
    .showHelpAfterError('(see --help)')
    // Commander would exit with 1 for every mistake in the command line.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage));
  for (const register of REGISTER) register(program);
  return program;
}

/** Prints the versions. It reads package.json only now, because every command loads this file. */
function printVersions(): never {
  process.stdout.write(`Workforce HR ${programVersion()}, Node.js ${process.versions.node}\n`);
  process.exit(EXIT_CODES.done);
}
