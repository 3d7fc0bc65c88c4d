import type { Command } from 'commander';
import { LOCATION } from '#organisation/location/location.js';
import { action } from '../command.js';
import { ofOrganisation, withFields } from '../options.js';

/** `workforce locations …`: the places of work of an organisation. */
export function register(program: Command): void {
  const group = program.command('locations').description('manage the locations of an organisation');
  const create = withFields(ofOrganisation(group.command('create').description('create a location')), LOCATION, {
    isNew: true,
  });
  action(create, async (call) => (await work()).createLocation(call));
  const update = withFields(
    ofOrganisation(
      group.command('update').argument('<location>', 'id of the location').description('change a location'),
    ),
    LOCATION,
    { isNew: false },
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

function work(): Promise<typeof import('../work/locations.js')> {
  return import('../work/locations.js');
}
