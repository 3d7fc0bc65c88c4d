import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { nameKey } from '../../naming/name-key.js';
import { normaliseLine } from '../../naming/postal-address.js';
import { findByNames, findOrCreate, type FoundOrCreated, type Named } from '../../naming/named-resource.js';
import { decideLocation, initialLocation, type Location, locationAggregate, type LocationCommand } from './location.decider.js';
import { type LocationRow, locationTable } from './location.table.js';

/** The location with this label; null where there is none. */
export async function findLocationByLabel(executor: Executor, organisationId: string, label: string): Promise<Named | null> {
  const found = await findByNames(executor, locationTable, organisationId, [label]);
  return found.get(nameKey(label))?.[0] ?? null;
}

/**
 * Returns the location with this label, and creates it where there is none; an existing one stays as it is. Throws {@link RejectedError}.
 */
export async function findOrCreateLocation(services: CommandServices, context: CommandContext, wanted: Location): Promise<FoundOrCreated> {
  const location = normaliseLocation(wanted) as Location;
  const create = () => decideLocation({ type: 'create', location }, initialLocation);
  const found = await findOrCreate(services, context, locationTable, [{ name: wanted.label, create }]);
  return found.get(nameKey(wanted.label))!;
}

/** Creates a location. Throws {@link RejectedError}: a label that another location has, an invalid field. */
export async function createLocation(services: CommandServices, context: CommandContext, wanted: Location): Promise<LocationRow> {
  const { id, name, isArchived, created } = await findOrCreateLocation(services, context, wanted);
  if (!created)
    throw new RejectedError(conflict('label', `there is a location ${name} already${isArchived ? ', which is not active' : ''}`));
  return locationTable.require(services.executor, context.organisationId, id);
}

/** Changes, deactivates or reactivates a location. Throws {@link RejectedError}. */
export async function commandLocation(
  services: CommandServices,
  context: CommandContext,
  locationId: string,
  command: Exclude<LocationCommand, { type: 'create' }>,
): Promise<LocationRow> {
  return (await recordLocation(services, context, locationId, command)).row;
}

/** The same, and whether anything was recorded. */
export function recordLocation(
  services: CommandServices,
  context: CommandContext,
  locationId: string,
  command: Exclude<LocationCommand, { type: 'create' }>,
): Promise<{ readonly row: LocationRow; readonly isChanged: boolean }> {
  const tidied = command.type === 'change' ? { ...command, changes: normaliseLocation(command.changes) } : command;
  return commit(services, context, async (within) => {
    const result = await execute(services, within, locationAggregate, locationId, {
      part: command.type,
      decide: (state) => decideLocation(tidied, state),
    });
    return () => ({ row: locationTable.after(result), isChanged: result.outcome !== 'unchanged' });
  });
}

/** Trims texts, takes blank ones of optional lines as null, and writes the country's code in upper case. */
export function normaliseLocation(fields: Partial<Location>): Partial<Location> {
  const tidied = Object.entries(fields).map(
    ([name, value]) => [name, typeof value === 'string' ? normaliseLine(name, value) : value] as const,
  );
  const { country_code: code, ...rest } = Object.fromEntries(tidied) as Partial<Location>;
  return code === undefined ? rest : { ...rest, country_code: code.toUpperCase() };
}
