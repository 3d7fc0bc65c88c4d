import { type Command, Option } from 'commander';
import { MAPPING_STATUSES, RESOURCE_TYPES } from '#resources/integration/provider-mapping/provider-mapping.decider.js';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce provider-mappings …`: what providers call resources of an organisation. */
export function register(program: Command): void {
  const group = program.command('provider-mappings').description('keep what providers call the resources of an organisation');
  const create = ofOrganisation(group.command('create').description('say what a provider calls a resource'))
    .requiredOption('--provider-name <provider>', 'the provider, such as xero')
    .addOption(new Option('--resource-type <type>', 'what kind of resource it is').choices(RESOURCE_TYPES).makeOptionMandatory())
    .requiredOption('--resource-id <id>', 'id of the resource; a person may be named by work e-mail or staff id too')
    .requiredOption('--external-id <id>', 'what the provider calls it; of a person no e-mail address');
  action(withState(create), async (call) => (await work()).createMapping(call));
  const update = ofOrganisation(group.command('update').argument('<mapping>', 'id of the mapping').description('change a mapping'));
  action(withState(update.option('--external-id <id>', 'what the provider calls it')), async (call) => (await work()).updateMapping(call));
  const remove = ofOrganisation(group.command('remove').argument('<mapping>', 'id of the mapping').description('remove a mapping'));
  action(remove, async (call) => (await work()).removeMapping(call));
  const list = ofOrganisation(group.command('list').description('list mappings')).option(
    '--provider-name <provider>',
    'only those of this provider',
  );
  action(list, async (call) => (await work()).listMappings(call));
}

function withState(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'how the exchange stands (pending)').choices(MAPPING_STATUSES))
    .option('--last-synced-at <date-time>', 'ISO 8601 with an offset; empty for never');
}

function work(): Promise<typeof import('../work/provider-mappings.js')> {
  return import('../work/provider-mappings.js');
}
