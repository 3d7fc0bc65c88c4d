import { LOCATION, type Location, type LocationRow, locationTable } from '#organisation/location/location.js';
import { ChangeLocation, CreateLocation } from '#organisation/location/location.api.js';
import { command } from '../command.js';
import type { Context, Outcome } from '../declaration.js';
import { optionsOf, optionsOfNew, valuesOf } from '../field-options.js';
import { argument, NOTHING_TO_CHANGE, ORGANISATION } from '../options.js';
import { listOf } from '../text-table.js';

const OF_LOCATION = { arguments: { location: argument('id of the location') } };

/** `workforce locations …`. */
export const commands = {
  create: command({
    description: 'create a location',
    options: { organisation: ORGANISATION, ...optionsOfNew(LOCATION) },
    run: async (given, { send }) => {
      const location = { ...LOCATION.initial, ...valuesOf(LOCATION, given) } as Location;
      return outcomeOf('Created', await send((context) => new CreateLocation(context, location)));
    },
  }),
  update: command({
    ...OF_LOCATION,
    description: 'change a location',
    options: { organisation: ORGANISATION, ...optionsOf(LOCATION) },
    changes: NOTHING_TO_CHANGE,
    run: (given, context) =>
      change(context, 'Changed', given.location, { type: 'change', changes: valuesOf(LOCATION, given) }),
  }),
  deactivate: command({
    ...OF_LOCATION,
    description: 'deactivate a location: the API no longer lists it',
    options: { organisation: ORGANISATION },
    run: ({ location }, context) => change(context, 'Deactivated', location, { type: 'deactivate' }),
  }),
  reactivate: command({
    ...OF_LOCATION,
    description: 'reactivate a location: the API lists it again',
    options: { organisation: ORGANISATION },
    run: ({ location }, context) => change(context, 'Reactivated', location, { type: 'reactivate' }),
  }),
  list: command({
    description: 'list all locations, including inactive ones',
    options: { organisation: ORGANISATION },
    run: async ({ organisation }, { pool }) => {
      const columns = {
        ID: 'id',
        LABEL: 'label',
        CITY: 'city',
        COUNTRY: 'country_code',
        STATUS: ({ is_active: isActive }: LocationRow) => (isActive ? 'active' : 'inactive'),
      } as const;
      return listOf('locations', await locationTable.list(pool, organisation.id), columns, present);
    },
  }),
};

async function change(
  { send }: Context,
  done: string,
  locationId: string,
  requested: ChangeLocation['change'],
): Promise<Outcome> {
  return outcomeOf(done, await send((context) => new ChangeLocation(context, locationId, requested)));
}

function outcomeOf(done: string, location: LocationRow): Outcome {
  const { id, label, city, country_code: country } = location;
  return { json: present(location), text: `${done} ${label} (${id}, ${city}, ${country}).` };
}

function present({ created_at, updated_at, country_code: country, ...rest }: LocationRow): object {
  return { ...rest, country, created_at, updated_at };
}
