import type { CommandContext } from '#commands/command-context.js';
import { type Issue, RejectedError } from '#kernel/rejection.js';
import type { CommandServices } from '#commands/execute.js';
import type { Cells } from '../../importing/cells.js';
import type { CsvRow } from '../../importing/csv-rows.js';
import type { ImportReport, RowOutcome } from '../../importing/import-report.js';
import { importRows, type RowImport } from '../../importing/import-rows.js';
import type { ImportSettings } from '../../importing/import-settings.js';
import { nameKey } from '../../naming/name-key.js';
import { findLocationByLabel, findOrCreateLocation, recordLocation, normaliseLocation } from './location.commands.js';
import { type Location, locationIssues } from './location.decider.js';

/** Columns of a file of locations: the fields of a location, with the country as its ISO 3166-1 alpha-2 code. */
export const LOCATION_COLUMNS = [
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

/** The fields that a row names. */
type LocationFields = Partial<Location> & Pick<Location, 'label'>;

const EMPTY = { address_line_2: null, address_line_3: null, region_state: '', postal_code: '', capacity: null };
const NEEDED = ['address_line_1', 'city', 'country_code'] as const;

/** Imports locations, one a row, by their label. An existing location is changed where the row differs. Safe to repeat. */
export function importLocations(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  return importRows(settings, rows, LOCATION_IMPORT);
}

const LOCATION_IMPORT: RowImport<LocationFields> = {
  columns: LOCATION_COLUMNS,
  needed: [['label']],
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
      : [[column === 'country' ? 'country_code' : column, column === 'capacity' ? wholeNumber(cell) : cell] as const];
  });
  const fields = normaliseLocation(Object.fromEntries(named));
  for (const { field, issue } of locationIssues(fields)) cells.refuse(columnOf(field), issue);
  return { ...fields, label: fields.label ?? '' };
}

async function record(services: CommandServices, context: CommandContext, fields: LocationFields): Promise<RowOutcome> {
  let known = await findLocationByLabel(services.executor, context.organisationId, fields.label);
  if (known === null) {
    requireWhole(fields);
    const made = await findOrCreateLocation(services, context, { ...EMPTY, ...fields } as Location);
    if (made.created) return 'created';
    known = made;
  }
  // The label identifies the location; an import does not change its spelling.
  const { label: _, ...changes } = fields;
  const { outcome } = await recordLocation(services, context, known.id, { type: 'change', changes });
  return outcome === 'unchanged' ? 'unchanged' : 'changed';
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

/** The number in a cell, or NaN, which the rules refuse with their own message. */
function wholeNumber(cell: string): number {
  return /^\d{1,9}$/.test(cell) ? Number(cell) : Number.NaN;
}
