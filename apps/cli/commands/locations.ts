import { LOCATION, type Location, type LocationRow, locationTable } from '#organisation/location/location.js';
import { ChangeLocation, CreateLocation } from '#organisation/location/location.api.js';
import { argument } from '../options.js';
import { optionsOf, resourceCommands } from '../resource-commands.js';

const { list, create, update, step } = resourceCommands<LocationRow>({
  argument: { location: argument('id of the location') },
  options: optionsOf(LOCATION),
  member: 'locations',
  columns: {
    ID: 'id',
    LABEL: 'label',
    CITY: 'city',
    COUNTRY: 'country_code',
    STATUS: ({ is_active: isActive }) => (isActive ? 'active' : 'inactive'),
  },
  words: ({ label, id, city, country_code: country }) => `${label} (${id}, ${city}, ${country})`,
  present: ({ revision: _, country_code: country, ...rest }) => ({ ...rest, country }),
});

/** `workforce locations …`. */
export const commands = {
  create: create('create a location', (context, location: Location) => new CreateLocation(context, location)),
  update: update(
    'change a location',
    (context, id, changes: Partial<Location>) => new ChangeLocation(context, id, { type: 'change', changes }),
  ),
  deactivate: step(
    'deactivate a location: the API no longer lists it',
    'Deactivated',
    (context, id) => new ChangeLocation(context, id, { type: 'deactivate' }),
  ),
  reactivate: step(
    'reactivate a location: the API lists it again',
    'Reactivated',
    (context, id) => new ChangeLocation(context, id, { type: 'reactivate' }),
  ),
  list: list('list all locations, including inactive ones', (executor, organisationId) =>
    locationTable.list(executor, organisationId),
  ),
};
