import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { date, enumeration } from '#http/fields.js';
import { emailKey } from '#http/fields/email-address.js';
import type { Cells } from '../../importing/cells.js';
import type { FileColumns } from '../../importing/columns.js';
import type { CsvRow } from '../../importing/csv-rows.js';
import type { ImportReport, RowOutcome } from '../../importing/import-report.js';
import { importRows } from '../../importing/import-rows.js';
import type { ImportSettings } from '../../importing/import-settings.js';
import { findPeople, PeopleFound, personNamedBy } from '../../people/import/find-people.js';
import { markPayroll } from './payroll-marker.commands.js';
import { MARKER_STATES, type MarkerFact, type MarkerState, PAYROLL_MARKERS, type PayrollMarker } from './payroll-marker.decider.js';

/** A file of markers. No column takes a value. */
export const PAYROLL_MARKER_FILE: FileColumns = {
  columns: ['staff_id', 'work_email', 'marker', 'state', 'effective_date'],
  synonyms: {
    staff_id: ['employee id', 'employee number', 'personnel number'],
    work_email: ['email', 'e mail', 'email address'],
    effective_date: ['from', 'date', 'valid from'],
  },
  needed: [['staff_id', 'work_email'], ['marker'], ['state'], ['effective_date']],
};

/** A row of the file. */
interface MarkerRow extends MarkerFact {
  readonly staffId: string | undefined;
  readonly workEmail: string | undefined;
}

/** Imports markers, one a row. A marker that stands already is not recorded twice, so a repeated import is safe. */
export function importPayrollMarkers(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  let people = new PeopleFound([]);
  return importRows<MarkerRow>(settings, rows, {
    ...PAYROLL_MARKER_FILE,
    read: readRow,
    prepare: async ({ executor }, organisationId, all) => {
      const staffIds = all.flatMap(({ staffId }) => staffId ?? []);
      const emailKeys = all.flatMap(({ workEmail }) => (workEmail === undefined ? [] : emailKey(workEmail)));
      people = await findPeople(executor, organisationId, { staffIds, emailKeys, ids: [] });
    },
    subjectOf: (row) => people.keyOf(row),
    record: (services, context, row) => record(services, context, row, people),
  });
}

function readRow(cells: Cells): MarkerRow {
  const [staffId, workEmail] = [cells.raw('staff_id'), cells.raw('work_email')];
  if (staffId === undefined && workEmail === undefined) cells.refuse('staff_id', 'staff_id or work_email is required');
  for (const column of ['marker', 'state', 'effective_date']) cells.require(column);
  return {
    staffId,
    workEmail,
    marker: cells.text('marker', enumeration(PAYROLL_MARKERS)) as PayrollMarker,
    state: cells.text('state', enumeration(MARKER_STATES)) as MarkerState,
    effective_date: cells.text('effective_date', date) ?? '',
  };
}

async function record(
  services: CommandServices,
  context: CommandContext,
  { staffId, workEmail, ...fact }: MarkerRow,
  people: PeopleFound,
): Promise<RowOutcome> {
  const { isNew } = await markPayroll(services, context, personNamedBy({ staffId, workEmail }, people), fact);
  return isNew ? 'created' : 'unchanged';
}
