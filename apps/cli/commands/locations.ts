import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce locations …`: the places of work of an organisation. */
export function register(program: Command): void {
  const group = program.command('locations').description('manage the locations of an organisation');
  const create = withFields(ofOrganisation(group.command('create').description('create a location')), true);
  action(create, async (call) => (await work()).createLocation(call));
  const update = withFields(
    ofOrganisation(
      group.command('update').argument('<location>', 'id of the location').description('change a location'),
    ),
    false,
  );
  action(update, async (call) => (await work()).updateLocation(call));
  const deactivate = ofOrganisation(
    group
      .command('deactivate')
      .argument('<location>', 'id of the location')
      .description('deactivate a location: the API no longer lists it'),
  );
  action(deactivate, async (call) => (await work()).deactivateLocation(call));
  const reactivate = ofOrganisation(
    group
      .command('reactivate')
      .argument('<location>', 'id of the location')
      .description('reactivate a location: the API lists it again'),
  );
  action(reactivate, async (call) => (await work()).reactivateLocation(call));
  action(
    ofOrganisation(group.command('list').description('list all locations, including inactive ones')),
    async (call) => (await work()).listLocations(call),
  );
}

function withFields(command: Command, isNew: boolean): Command {
  const needed = (flags: string, description: string): Command =>
    isNew ? command.requiredOption(flags, description) : command.option(flags, description);
  needed('--label <label>', 'its name');
  needed('--address-line-1 <text>', 'first line of the address');
  needed('--city <city>', 'city');
  needed('--country <code>', 'ISO 3166-1 alpha-2, such as GB');
  return command
    .option('--address-line-2 <text>', 'second line; empty for none')
    .option('--address-line-3 <text>', 'third line; empty for none')
    .option('--region-state <text>', 'region or state; empty where the country has none')
    .option('--postal-code <code>', 'postal code; empty where the country has none')
    .option('--capacity <people>', 'number of people who fit in; empty if unknown');
}

function work(): Promise<typeof import('../work/locations.js')> {
  return import('../work/locations.js');
}
