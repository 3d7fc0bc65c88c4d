import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce sandbox …`: the synthetic data that an organisation's test keys work with. */
export function register(program: Command): void {
  const group = program
    .command('sandbox')
    .description("manage the synthetic data that an organisation's test keys work with");
  const refresh = ofOrganisation(
    group
      .command('refresh')
      .description('reset the sandbox to its first state: deletes everything that tests wrote and keeps the ids'),
  );
  action(refresh, async (call) => (await work()).refresh(call));
  const show = ofOrganisation(
    group.command('show').description('list the people in the sandbox, with the ids that tests can use'),
  );
  action(show, async (call) => (await work()).show(call));
}

function work(): Promise<typeof import('../work/sandbox.js')> {
  return import('../work/sandbox.js');
}
