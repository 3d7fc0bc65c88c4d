import type { Executor } from '#projections/projection.js';
import { inSlices } from '../../services/in-slices.js';
import { payrollChangeOf } from './payroll-change.js';
import type { PayrollChangeResponse } from './payroll-changes.contract.js';
import { type ChangePlace, type ChangeRow, factsOfPeople, listChanges } from './payroll-changes.queries.js';
import { instantsOf, isRetroactive, type PayrollWindow } from './payroll-window.js';

/** Who asks for which window, and for which part of it. */
export interface ChangesRequest {
  readonly organisationId: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly window: PayrollWindow;
  /** Null for the first page. */
  readonly after: ChangePlace | null;
  readonly limit: number;
}

export interface ChangesRead {
  readonly changes: readonly PayrollChangeResponse[];
  /** Null on the last page. */
  readonly next: ChangePlace | null;
}

/** The service holds neither, and refuses both wherever they are written: there is no such change to tell of (ADR 27). */
const NOT_HELD = { compensation_changed: false, banking_changed: false } as const;

/** One page of a payroll run (docs/reference/payroll.md). */
export async function readPayrollChanges(executor: Executor, request: ChangesRequest): Promise<ChangesRead> {
  const { organisationId, timeZone, window, after, limit } = request;
  const found = await listChanges(executor, { organisationId, window, instants: instantsOf(window, timeZone), after, count: limit + 1 });
  const rows = found.slice(0, limit);
  const facts = await factsOfPeople(
    executor,
    organisationId,
    rows.map((row) => row.person_id),
  );
  const changes = await inSlices(rows, (row) =>
    present(row, timeZone, payrollChangeOf(facts.get(row.person_id)!.slice(0, row.revision + 1))),
  );
  return { changes, next: found.length > limit ? placeOf(rows.at(-1)!) : null };
}

function present(row: ChangeRow, timeZone: string, change: ReturnType<typeof payrollChangeOf>): PayrollChangeResponse {
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
    ...NOT_HELD,
  };
}

function placeOf(row: ChangeRow): ChangePlace {
  return { recordedAt: row.recorded_at.toISOString(), personId: row.person_id, revision: row.revision, horizon: row.horizon.toISOString() };
}
