import type { CommandContext } from '#commands/command-context.js';
import { type Issue, RejectedError } from '#kernel/rejection.js';
import type { CommandServices } from '#commands/services.js';
import { asText } from '../../importing/as-text.js';
import { type Cells, wholeNumber } from '../../importing/cells.js';
import type { FileColumns } from '../../importing/columns.js';
import type { CsvRow } from '../../importing/csv-rows.js';
import type { ImportReport, RowOutcome } from '../../importing/import-report.js';
import { type ChangedRow, importRows, type RowImport } from '../../importing/import-rows.js';
import type { ImportSettings } from '../../importing/import-settings.js';
import { nameKey } from '../../naming/name-key.js';
import { findLocationByLabel, findOrCreateLocation, recordLocation, normaliseLocation } from './location.commands.js';
import { type Location, locationIssues } from './location.decider.js';
import { locationTable } from './location.table.js';

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

/** Imports locations, one a row, by their label. An existing location is changed where the row differs. Safe to repeat. */
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
      : [[column === 'country' ? 'country_code' : column, column === 'capacity' ? (wholeNumber(cell) ?? Number.NaN) : cell] as const];
  });
  const fields = normaliseLocation(Object.fromEntries(named));
  for (const { field, issue } of locationIssues(fields)) cells.refuse(columnOf(field), issue);
  return { ...fields, label: fields.label ?? '' };
}

async function record(services: CommandServices, context: CommandContext, fields: LocationFields): Promise<RowOutcome | ChangedRow> {
  let known = await findLocationByLabel(services.executor, context.organisationId, fields.label);
  if (known === null) {
    requireWhole(fields);
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
function requireWhole(fields: LocationFields): void {
  const details = NEEDED.filter((field) => fields[field] === undefined).map((field): Issue => ({
    field,
    issue: 'is required for a location that is not there yet',
  }));
  if (details.length > 0) throw new RejectedError({ kind: 'invalid_request', message: details[0]!.issue, details });
}

function columnOf(field: string): string {
  return field === 'country_code' ? 'country' : field;
}
