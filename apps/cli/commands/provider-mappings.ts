import { type Command, Option } from 'commander';
import { MAPPING_STATUSES, RESOURCE_TYPES } from '#payroll/provider-mapping/provider-mapping.js';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce provider-mappings …`: the ids that providers use for the resources of an organisation. */
export function register(program: Command): void {
  const group = program
    .command('provider-mappings')
    .description('manage the ids that providers use for the resources of an organisation');
  const create = ofOrganisation(
    group.command('create').description('record the id that a provider uses for a resource'),
  )
    .requiredOption('--provider-name <provider>', 'the provider, such as xero')
    .addOption(
      new Option('--resource-type <type>', 'type of the resource').choices(RESOURCE_TYPES).makeOptionMandatory(),
    )
    .requiredOption('--resource-id <id>', 'id of the resource; a person may be named by work e-mail or staff id too')
    .requiredOption('--external-id <id>', 'id of the resource at the provider; not an e-mail address of a person');
  action(withState(create), async (call) => (await work()).createMapping(call));
  const update = ofOrganisation(
    group.command('update').argument('<mapping>', 'id of the mapping').description('change a mapping'),
  );
  action(withState(update.option('--external-id <id>', 'id of the resource at the provider')), async (call) =>
    (await work()).updateMapping(call),
  );
  const remove = ofOrganisation(
    group.command('delete').alias('remove').argument('<mapping>', 'id of the mapping').description('delete a mapping'),
  );
  action(remove, async (call) => (await work()).removeMapping(call));
  const list = ofOrganisation(group.command('list').description('list mappings')).option(
    '--provider-name <provider>',
    'only the mappings of this provider',
  );
  action(list, async (call) => (await work()).listMappings(call));
}

function withState(command: Command): Command {
  return command
    .addOption(
      new Option('--status <status>', 'state of the synchronisation (default for a new mapping: pending)').choices(
        MAPPING_STATUSES,
      ),
    )
    .option('--last-synced-at <date-time>', 'ISO 8601 with an offset; empty for never');
}

function work(): Promise<typeof import('../work/provider-mappings.js')> {
  return import('../work/provider-mappings.js');
}
