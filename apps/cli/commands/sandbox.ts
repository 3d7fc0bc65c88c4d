import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce sandbox …`: the synthetic people that an organisation's test keys act for. */
export function register(program: Command): void {
  const group = program.command('sandbox').description("keep the synthetic people that an organisation's test keys act for");
  const refresh = ofOrganisation(
    group.command('refresh').description('put the sandbox into its first state: everything that tests wrote is gone, ids are the same'),
  );
  action(refresh, async (call) => (await work()).refresh(call));
  const show = ofOrganisation(group.command('show').description('list who is in the sandbox, with the ids that tests can name'));
  action(show, async (call) => (await work()).show(call));
}

function work(): Promise<typeof import('../work/sandbox.js')> {
  return import('../work/sandbox.js');
}
