import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { findByNames, findOrCreate, type FoundOrCreated } from '#commands/named-resource.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { asText } from '#csv-import/as-text.js';
import type { Cells } from '#csv-import/cells.js';
import { columnsOf, type FileColumns } from '#csv-import/columns.js';
import type { CsvRow } from '#csv-import/csv-rows.js';
import type { ImportReport, RowOutcome } from '#csv-import/import-report.js';
import { type ChangedRow, importRows, type RowImport } from '#csv-import/import-rows.js';
import type { ImportSettings } from '#csv-import/import-settings.js';
import type { Answer, Call } from '#http/call.js';
import { BooleanField, DateTimeField, IdField, ObjectField } from '#http/fields.js';
import { answerFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import { nameOutside } from '#kernel/field-list.js';
import { nameKey } from '#kernel/names.js';
import { conflict, type Issue, RejectedError } from '#kernel/rejection.js';
import { countryOf } from '../country/countries.js';
import { CountryReference } from '../country/country.api.js';
import {
  decideLocation,
  initialLocation,
  LOCATION,
  type Location,
  locationAggregate,
  type LocationCommand,
  type LocationRow,
  LOCATIONS_SCHEMA,
  locationTable,
} from './location.js';

type LocationShown = Omit<Location, 'country_code'> & {
  readonly id: string;
  readonly country: CountryReference;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly updated_at: string;
};

/** A location of the organisation (contract part 2, "Organisation location"). */
class LocationResponse extends shapeOf<LocationShown>({
  id: IdField('location'),
  ...answerFields(LOCATION, { country: ObjectField(() => CountryReference) }),
  is_active: BooleanField({ description: 'Lists contain active ones only.' }),
  created_at: DateTimeField(),
  updated_at: DateTimeField(),
}) {}

/**
 * Returns the location with this label, and creates it if there is none; an existing one stays unchanged.
 * Throws {@link RejectedError}.
 */
export async function findOrCreateLocation(
  services: CommandServices,
  context: CommandContext,
  requested: Location,
): Promise<FoundOrCreated> {
  const location = LOCATION.normalise(requested) as Location;
  const create = () => decideLocation({ type: 'create', location }, initialLocation);
  const found = await findOrCreate(services, context, locationTable, [{ name: requested.label, create }]);
  return found.get(nameKey(requested.label))!;
}

/** Creates a location. Throws {@link RejectedError}: a label that another location has, an invalid field. */
export async function createLocation(
  services: CommandServices,
  context: CommandContext,
  requested: Location,
): Promise<LocationRow> {
  const { id, name, isArchived, created } = await findOrCreateLocation(services, context, requested);
  if (!created)
    throw new RejectedError(
      conflict('label', `there is a location ${name} already${isArchived ? ', which is not active' : ''}`),
    );
  return locationTable.require(services.executor, context.organisationId, id);
}

/**
 * Changes, deactivates or reactivates a location; `ifMatch`: the entity tags that the caller expects. Throws
 * {@link RejectedError}, and 412 if the location has another tag.
 */
export function commandLocation(
  services: CommandServices,
  context: CommandContext,
  locationId: string,
  command: Exclude<LocationCommand, { type: 'create' }>,
  ifMatch: readonly string[] | null = null,
): Promise<LocationRow> {
  const tidied = command.type === 'change' ? { ...command, changes: LOCATION.normalise(command.changes) } : command;
  return commit(services, context, async (within) => {
    const result = await execute(services, within, locationAggregate, locationId, {
      part: command.type,
      ifMatch,
      decide: (state) => decideLocation(tidied, state),
    });
    return () => locationTable.after(result);
  });
}

/** A file of locations: their fields, with the country as its ISO 3166-1 alpha-2 code. */
export const LOCATION_FILE: FileColumns = { ...columnsOf(LOCATION), needed: [['label']] };

/** The fields that a row names. */
type LocationFields = Partial<Location> & Pick<Location, 'label'>;

/**
 * Imports locations, one per row, by their label. Fields of an existing location that differ from the row are
 * changed. Safe to repeat.
 */
export function importLocations(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  return importRows(settings, rows, LOCATION_IMPORT);
}

const LOCATION_IMPORT: RowImport<LocationFields> = {
  ...LOCATION_FILE,
  read: readLocation,
  keyOf: ({ label }) => ({ column: 'label', key: nameKey(label) }),
  record,
  columnOf,
};

function readLocation(cells: Cells): LocationFields {
  cells.require('label');
  return { label: '', ...cells.fields(LOCATION) };
}

async function record(
  services: CommandServices,
  context: CommandContext,
  fields: LocationFields,
): Promise<RowOutcome | ChangedRow> {
  const found = await findByNames(services.executor, locationTable, context.organisationId, [fields.label]);
  let known = found.get(nameKey(fields.label))?.[0];
  if (known === undefined) {
    const location = { ...LOCATION.initial, ...fields };
    refuseMissing(location);
    const made = await findOrCreateLocation(services, context, location as Location);
    if (made.created) return 'created';
    known = made;
  }
  const before = await locationTable.require(services.executor, context.organisationId, known.id);
  // The label identifies the location; an import does not change its spelling.
  const { label: _, ...changes } = fields;
  await commandLocation(services, context, known.id, { type: 'change', changes });
  const changed = (Object.keys(changes) as (keyof typeof changes)[]).filter(
    (field) => changes[field] !== before[field],
  );
  if (changed.length === 0) return 'unchanged';
  return changed.map((field) => ({
    subject: before.label,
    field: columnOf(field),
    before: asText(before[field]),
    after: asText(changes[field]),
    effective_date: null,
  }));
}

/** Refuses a new location without the fields that only an existing one may leave out. */
function refuseMissing(location: LocationFields): void {
  const details = Object.keys(LOCATION.fields)
    .filter((field) => location[field as keyof Location] === undefined)
    .map((field): Issue => ({ field, issue: 'is required for a location that is not there yet' }));
  if (details.length > 0) throw new RejectedError({ kind: 'invalid_request', message: details[0]!.issue, details });
}

function columnOf(field: string): string {
  return nameOutside(LOCATION, field);
}

export class CreateLocation extends Command<LocationRow> {
  constructor(
    readonly context: CommandContext,
    readonly location: Location,
  ) {
    super();
  }
}

export class ChangeLocation extends Command<LocationRow> {
  constructor(
    readonly context: CommandContext,
    readonly locationId: string,
    readonly change: Exclude<LocationCommand, { type: 'create' }>,
    readonly ifMatch: readonly string[] | null = null,
  ) {
    super();
  }
}

@CommandHandler(CreateLocation)
class CreateLocationHandler implements ICommandHandler<CreateLocation> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, location }: CreateLocation): Promise<LocationRow> {
    return createLocation(this.services, context, location);
  }
}

@CommandHandler(ChangeLocation)
class ChangeLocationHandler implements ICommandHandler<ChangeLocation> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, locationId, change, ifMatch }: ChangeLocation): Promise<LocationRow> {
    return commandLocation(this.services, context, locationId, change, ifMatch);
  }
}

@Controller('organisation/locations')
class LocationController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly mint: IdMint,
  ) {}

  @Get()
  @Operation({
    operationId: 'listOrganisationLocations',
    summary: 'List the active locations',
    description: 'By label, all on one page. Locations are managed in the product settings, never through the API.',
    tags: ['Organisation'],
    scope: 'organisation:read',
    capability: 'organisation.locations.list',
    response: LocationResponse,
    responseKind: 'list',
  })
  async list(@Receive() call: Call): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const rows = await locationTable.listInUse(this.pool, organisationId);
    return { data: rows.map((row) => ({ ...row, country: countryOf(this.mint, organisationId, row.country_code) })) };
  }
}

/** Locations of an organisation. Managed in the console and on the command line; the API only reads them. */
export const locationResource = defineResource({
  area: 'organisation',
  tables: [locationTable],
  schema: LOCATIONS_SCHEMA,
  controllers: [LocationController],
  handlers: [CreateLocationHandler, ChangeLocationHandler],
});
