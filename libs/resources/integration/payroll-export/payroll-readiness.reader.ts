import type { CursorCodec } from '#http/cursors/cursor.js';
import { isText, type Page, type PagedList, type PageQuery, readPage } from '#http/pages.js';
import { addDays, type LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import type { PayrollReadinessResponse } from './payroll-readiness.contract.js';
import { listReadiness, type ReadinessPlace, type ReadinessRow } from './payroll-readiness.queries.js';
import { type Presence, PRESENCE_NAMES, readinessIssues } from './payroll-readiness.rules.js';

/** The number of days after their final day for which people stay listed: a payroll year and a late correction of it. */
export const LONGEST_AFTERMATH_DAYS = 400;

const READINESS: PagedList<ReadinessPlace, ReadinessRow> = {
  route: 'listPayrollReadiness',
  place: { createdAt: isText, personId: isText },
  placeOf: (row) => ({ createdAt: row.created_at.toISOString(), personId: row.person_id }),
};

/** Reads one page of the data that payroll still lacks (docs/reference/payroll.md). `today`: in the organisation's time zone. */
export async function readPayrollReadiness(
  executor: Executor,
  cursors: CursorCodec,
  { organisationId, today }: { readonly organisationId: string; readonly today: LocalDate },
  query: PageQuery,
): Promise<Page<PayrollReadinessResponse>> {
  const leftSince = addDays(today, -LONGEST_AFTERMATH_DAYS);
  const { rows, nextCursor } = await readPage(cursors, READINESS, { organisationId, filters: {}, query }, (after, count) =>
    listReadiness(executor, { organisationId, leftSince, today, after, count }),
  );
  return { rows: rows.map(present), nextCursor };
}

function present(row: ReadinessRow): PayrollReadinessResponse {
  const { shares_staff_id: sharesStaffId, exceeds_full_time: exceedsFullTime, missing_custom_fields: missingCustomFields } = row;
  const isThere: Presence = { ...row, staff_id: row.staff_id !== null, custom_fields: missingCustomFields.length === 0 };
  const presence = Object.fromEntries(PRESENCE_NAMES.map((name) => [name, isThere[name]])) as Presence;
  return {
    person: { id: row.person_id, display_name: row.display_name, staff_id: row.staff_id },
    presence,
    issues: readinessIssues({ presence, sharesStaffId, exceedsFullTime, missingCustomFields }),
  };
}
