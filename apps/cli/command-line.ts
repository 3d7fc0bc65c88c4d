import { Command } from 'commander';
import { register as registerDoctor } from './commands/doctor.js';
import { register as registerImport } from './commands/import.js';
import { register as registerKeys } from './commands/keys.js';
import { register as registerLocations } from './commands/locations.js';
import { register as registerMigrate } from './commands/migrate.js';
import { register as registerOrganisations } from './commands/organisations.js';
import { register as registerProjections } from './commands/projections.js';
import { register as registerReference } from './commands/reference.js';
import { register as registerTimeline } from './commands/timeline.js';
import { register as registerStart } from './commands/start.js';

/** Each file of `commands/` adds its command, or its group of commands, to the program. */
const REGISTER: readonly ((program: Command) => void)[] = [
  registerStart,
  registerMigrate,
  registerOrganisations,
  registerKeys,
  registerLocations,
  registerReference,
  registerImport,
  registerProjections,
  registerTimeline,
  registerDoctor,
];

/** The `workforce` program with all its commands. */
export function commandLine(): Command {
  const program = new Command('workforce')
    .description('Workforce HR: a self-hosted human-resources service')
    .showHelpAfterError('(--help says how)');
  for (const register of REGISTER) register(program);
  return program;
}
