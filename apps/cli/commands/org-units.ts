import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce org-units …`: the tree of an organisation. */
export function register(program: Command): void {
  const group = program
    .command('org-units')
    .description('manage the divisions, departments and teams of an organisation');
  action(ofOrganisation(group.command('list').description('list all units, including archived ones')), async (call) =>
    (await work()).listUnits(call),
  );
  action(ofUnit(group.command('show').description('show a unit')), async (call) => (await work()).showUnit(call));
  const create = withFields(
    ofOrganisation(group.command('create').description('create a unit').requiredOption('--name <name>', 'its name')),
  );
  action(create, async (call) => (await work()).createUnit(call));
  const update = withFields(
    ofUnit(group.command('update').description('change a unit')).option('--name <name>', 'its name'),
  );
  action(update, async (call) => (await work()).updateUnit(call));
  action(
    ofUnit(
      group
        .command('archive')
        .description('archive a unit, which must have no active people and no active units below it'),
    ),
    async (call) => (await work()).archiveUnit(call),
  );
  action(ofUnit(group.command('reactivate').description('reactivate an archived unit')), async (call) =>
    (await work()).reactivateUnit(call),
  );
}

function ofUnit(command: Command): Command {
  return ofOrganisation(command.argument('<unit>', 'id, code or name of the unit'));
}

function withFields(command: Command): Command {
  return command
    .option('--code <code>', 'its code; empty for none')
    .option('--parent <unit>', 'id, code or name of the unit above it; empty for the top')
    .option('--head <person>', 'who is at its head: id, work e-mail or staff id; empty for nobody');
}

function work(): Promise<typeof import('../work/org-units.js')> {
  return import('../work/org-units.js');
}
