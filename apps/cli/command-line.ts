import { Command } from 'commander';
import { register as registerDoctor } from './commands/doctor.js';
import { register as registerMigrate } from './commands/migrate.js';
import { register as registerStart } from './commands/start.js';

/** Each file of `commands/` adds its command, or its group of commands, to the program. */
const REGISTER: readonly ((program: Command) => void)[] = [registerStart, registerMigrate, registerDoctor];

/** The `workforce` program with all its commands. */
export function commandLine(): Command {
  const program = new Command('workforce')
    .description('Workforce HR: a self-hosted human-resources service')
    .showHelpAfterError('(--help says how)');
  for (const register of REGISTER) register(program);
  return program;
}
