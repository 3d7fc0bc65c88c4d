import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { findByNames, findOrCreate, type FoundOrCreated, type Named } from '#commands/named-resource.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { asText } from '#csv-import/as-text.js';
import { type Cells, parseInteger } from '#csv-import/cells.js';
import type { FileColumns } from '#csv-import/columns.js';
import type { CsvRow } from '#csv-import/csv-rows.js';
import type { ImportReport, RowOutcome } from '#csv-import/import-report.js';
import { type ChangedRow, importRows, type RowImport } from '#csv-import/import-rows.js';
import type { ImportSettings } from '#csv-import/import-settings.js';
import type { Answer, Call } from '#http/call.js';
import { BooleanField, DateTimeField, IdField, IntegerField, ObjectField, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import { nameKey } from '#kernel/names.js';
import { conflict, type Issue, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { countryOf } from '../country/countries.js';
import { CountryReference } from '../country/country.api.js';
import { normaliseLine } from '../country/postal-address.js';
import {
  decideLocation,
  initialLocation,
  type Location,
  locationAggregate,
  type LocationCommand,
  locationIssues,
  type LocationRow,
  LOCATIONS_SCHEMA,
  locationTable,
} from './location.js';

/** A place of the organisation (contract part 2, "Organisation location"). */
export class LocationResponse {
  @IdField('location')
  readonly id!: string;
  @TextField({ example: 'London office' })
  readonly label!: string;
  @TextField({ example: '1 Long Lane' })
  readonly address_line_1!: string;
  @TextField({ nullable: true, example: 'Third floor' })
  readonly address_line_2!: string | null;
  @TextField({ nullable: true, example: null })
  readonly address_line_3!: string | null;
  @TextField({ example: 'London' })
  readonly city!: string;
  @TextField({ description: 'Empty where the country has none.', example: 'Greater London' })
  readonly region_state!: string;
  @TextField({ description: 'Empty where the country has none.', example: 'EC1A 9HF' })
  readonly postal_code!: string;
  @ObjectField(() => CountryReference)
  readonly country!: CountryReference;
  @IntegerField({
    minimum: 0,
    nullable: true,
    description: 'The number of people for whom there is room.',
    example: 40,
  })
  readonly capacity!: number | null;
  @BooleanField({ description: 'Lists contain active ones only.' })
  readonly is_active!: boolean;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

/** The location with this label; null where there is none. */
export async function findLocationByLabel(
  executor: Executor,
  organisationId: string,
  label: string,
): Promise<Named | null> {
  const found = await findByNames(executor, locationTable, organisationId, [label]);
  return found.get(nameKey(label))?.[0] ?? null;
}

/**
 * Returns the location with this label, and creates it where there is none; an existing one stays as it is.
 * Throws {@link RejectedError}.
 */
export async function findOrCreateLocation(
  services: CommandServices,
  context: CommandContext,
  requested: Location,
): Promise<FoundOrCreated> {
  const location = normaliseLocation(requested) as Location;
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

/** The fields of a location, with the country as its ISO 3166-1 alpha-2 code. */
const LOCATION_COLUMNS = [
  'label',
  'address_line_1',
  'address_line_2',
  'address_line_3',
  'city',
  'region_state',
  'postal_code',
  'country',
  'capacity',
] as const;

/** A file of locations. */
export const LOCATION_FILE: FileColumns = {
  columns: LOCATION_COLUMNS,
  synonyms: {
    label: ['name', 'location', 'location name', 'office', 'site'],
    address_line_1: ['address', 'address 1', 'street', 'street address'],
    address_line_2: ['address 2'],
    address_line_3: ['address 3'],
    city: ['town'],
    region_state: ['region', 'state', 'county', 'province'],
    postal_code: ['postcode', 'post code', 'zip', 'zip code'],
    country: ['country code'],
    capacity: ['seats'],
  },
  needed: [['label']],
};

/** The fields that a row names. */
type LocationFields = Partial<Location> & Pick<Location, 'label'>;

const EMPTY = { address_line_2: null, address_line_3: null, region_state: '', postal_code: '', capacity: null };
const NEEDED = ['address_line_1', 'city', 'country_code'] as const;

/**
 * Imports locations, one a row, by their label. An existing location is changed where the row differs. Safe
 * to repeat.
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
  const named = LOCATION_COLUMNS.flatMap((column) => {
    const cell = cells.usable(column);
    return cell === null
      ? []
      : [
          [
            column === 'country' ? 'country_code' : column,
            column === 'capacity' ? (parseInteger(cell) ?? Number.NaN) : cell,
          ] as const,
        ];
  });
  const fields = normaliseLocation(Object.fromEntries(named));
  for (const { field, issue } of locationIssues(fields)) cells.refuse(columnOf(field), issue);
  return { ...fields, label: fields.label ?? '' };
}

async function record(
  services: CommandServices,
  context: CommandContext,
  fields: LocationFields,
): Promise<RowOutcome | ChangedRow> {
  let known = await findLocationByLabel(services.executor, context.organisationId, fields.label);
  if (known === null) {
    requireAllFields(fields);
    const made = await findOrCreateLocation(services, context, { ...EMPTY, ...fields } as Location);
    if (made.created) return 'created';
    known = made;
  }
  const before = await locationTable.require(services.executor, context.organisationId, known.id);
  // The label identifies the location; an import does not change its spelling.
  const { label: _, ...changes } = fields;
  const { isChanged } = await recordLocation(services, context, known.id, { type: 'change', changes });
  if (!isChanged) return 'unchanged';
  return (Object.keys(changes) as (keyof typeof changes)[])
    .filter((field) => changes[field] !== before[field])
    .map((field) => ({
      subject: before.label,
      field: columnOf(field),
      before: asText(before[field]),
      after: asText(changes[field]),
      effective_date: null,
    }));
}

/** Refuses a new location without the fields that only an existing one may leave out. */
function requireAllFields(fields: LocationFields): void {
  const details = NEEDED.filter((field) => fields[field] === undefined).map((field): Issue => ({
    field,
    issue: 'is required for a location that is not there yet',
  }));
  if (details.length > 0) throw new RejectedError({ kind: 'invalid_request', message: details[0]!.issue, details });
}

function columnOf(field: string): string {
  return field === 'country_code' ? 'country' : field;
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

  execute({ context, locationId, change }: ChangeLocation): Promise<LocationRow> {
    return commandLocation(this.services, context, locationId, change);
  }
}

/** The handlers of this file, for the resource. */
export const LOCATION_COMMAND_HANDLERS = [CreateLocationHandler, ChangeLocationHandler];

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

/** Locations of an organisation. Operators manage them on the command line; the API shows them. */
export const locationResource = defineResource({
  area: 'organisation',
  tables: [locationTable],
  schema: LOCATIONS_SCHEMA,
  controllers: [LocationController],
  handlers: LOCATION_COMMAND_HANDLERS,
});
