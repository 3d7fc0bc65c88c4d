import type { CursorCodec } from '#http/cursors/cursor.js';
import { isText, isWholeNumber, type Page, type PagedList, type PageQuery, readPage } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import { inSlices } from '../../services/in-slices.js';
import { type PayrollChange, payrollChangeOf, payrollChangeOfMarker } from './payroll-change.js';
import type { PayrollChangeResponse } from './payroll-changes.contract.js';
import { type ChangePlace, type ChangeRow, factsOfPeople, listChanges } from './payroll-changes.queries.js';
import { instantsOf, isRetroactive, type PayrollWindow } from './payroll-window.js';

const CHANGES: PagedList<ChangePlace, ChangeRow> = {
  route: 'listPayrollChanges',
  place: { recordedAt: isText, personId: isText, source: isWholeNumber, revision: isWholeNumber, horizon: isText },
  placeOf: (row) => ({
    recordedAt: row.recorded_at.toISOString(),
    personId: row.person_id,
    source: row.marker === null ? 0 : 1,
    revision: row.revision,
    horizon: row.horizon.toISOString(),
  }),
};

/** One page of a payroll run (docs/reference/payroll.md). */
export async function readPayrollChanges(
  executor: Executor,
  cursors: CursorCodec,
  organisation: { readonly id: string; readonly timeZone: string },
  query: PayrollWindow & PageQuery,
): Promise<Page<PayrollChangeResponse>> {
  const { id: organisationId, timeZone } = organisation;
  const window: PayrollWindow = { from: query.from, to: query.to };
  const request = { organisationId, filters: { ...window }, query };
  const { rows, nextCursor } = await readPage(cursors, CHANGES, request, (after, count) =>
    listChanges(executor, { organisationId, window, instants: instantsOf(window, timeZone), after, count }),
  );
  const people = rows.flatMap((row) => (row.marker === null ? [row.person_id] : []));
  const facts = await factsOfPeople(executor, organisationId, people);
  const changeOf = ({ marker, person_id, revision, corrected_effective_from: corrected }: ChangeRow): PayrollChange =>
    marker === null ? payrollChangeOf(facts.get(person_id)!.slice(0, revision + 1)) : payrollChangeOfMarker(marker, corrected !== null);
  const changes = await inSlices(rows, (row) => present(row, timeZone, changeOf(row)));
  return { rows: changes, nextCursor };
}

function present(row: ChangeRow, timeZone: string, change: PayrollChange): PayrollChangeResponse {
  const dates = [row.effective_from, row.corrected_effective_from].filter((date) => date !== null);
  return {
    fact_id: row.fact_id,
    person: { id: row.person_id, display_name: row.display_name, staff_id: row.staff_id },
    change_type: change.changeType,
    effective_date: row.effective_from,
    corrected_effective_date: row.corrected_effective_from,
    recorded_at: row.recorded_at.toISOString(),
    is_retroactive: isRetroactive(row.recorded_at, dates, timeZone),
    changed_fields: change.changedFields,
    // The service holds neither: markers alone say that they changed (ADR 27).
    compensation_changed: row.marker === 'compensation',
    banking_changed: row.marker === 'bank_details',
  };
}
