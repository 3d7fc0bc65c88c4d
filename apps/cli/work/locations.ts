import type { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { JsonObject } from '#kernel/json.js';
import { LOCATION, type Location, type LocationRow, locationTable } from '#organisation/location/location.js';
import { ChangeLocation, CreateLocation } from '#organisation/location/location.api.js';
import type { Call, Outcome } from '../command.js';
import { withInstallation } from '../installation.js';
import { changesOf, fieldsOf } from '../options.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from './organisations.js';

/** `workforce locations create`. */
export function createLocation(call: Call): Promise<Outcome> {
  const location = { ...LOCATION.initial, ...fieldsOf(LOCATION, call.options) } as Location;
  return record(call, (context) => new CreateLocation(context, location), 'Created');
}

/** `workforce locations update`. */
export function updateLocation(call: Call): Promise<Outcome> {
  const changes = changesOf(LOCATION, call.options);
  return record(
    call,
    (context) => new ChangeLocation(context, call.arguments[0]!, { type: 'change', changes }),
    'Changed',
  );
}

/** `workforce locations deactivate`. */
export function deactivateLocation(call: Call): Promise<Outcome> {
  return record(
    call,
    (context) => new ChangeLocation(context, call.arguments[0]!, { type: 'deactivate' }),
    'Deactivated',
  );
}

/** `workforce locations reactivate`. */
export function reactivateLocation(call: Call): Promise<Outcome> {
  return record(
    call,
    (context) => new ChangeLocation(context, call.arguments[0]!, { type: 'reactivate' }),
    'Reactivated',
  );
}

/** `workforce locations list`. */
export function listLocations({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const locations = await locationTable.list(pool, organisation.id);
    const rows = locations.map((one) => [
      one.id,
      one.label,
      one.city,
      one.country_code,
      one.is_active ? 'active' : 'inactive',
    ]);
    return {
      json: { locations: locations.map(locationJson) },
      text: textTable(['ID', 'LABEL', 'CITY', 'COUNTRY', 'STATUS'], rows),
    };
  });
}

function record(
  call: Call,
  commandOf: (context: CommandContext) => Command<LocationRow>,
  done: string,
): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const location = await sendAsOperator(installation, organisation, commandOf);
    return {
      json: locationJson(location),
      text: `${done} ${location.label} (${location.id}, ${location.city}, ${location.country_code}).`,
    };
  });
}

function locationJson({ created_at, updated_at, country_code: country, ...rest }: LocationRow): JsonObject {
  return { ...rest, country, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}
