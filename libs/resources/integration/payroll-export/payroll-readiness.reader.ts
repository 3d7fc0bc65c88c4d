import { addDays, type LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import type { PayrollReadinessResponse } from './payroll-readiness.contract.js';
import { listReadiness, type ReadinessPlace, type ReadinessRow } from './payroll-readiness.queries.js';
import { type Presence, PRESENCE_NAMES, readinessIssues } from './payroll-readiness.rules.js';

/** For so many days after their final day people stay listed: a payroll year and a late correction of it. */
export const LONGEST_AFTERMATH_DAYS = 400;

export interface ReadinessRequest {
  readonly organisationId: string;
  /** In the organisation's time zone. */
  readonly today: LocalDate;
  /** Null for the first page. */
  readonly after: ReadinessPlace | null;
  readonly limit: number;
}

export interface ReadinessRead {
  readonly people: readonly PayrollReadinessResponse[];
  /** Null on the last page. */
  readonly next: ReadinessPlace | null;
}

/** One page of what payroll still misses (docs/reference/payroll.md). */
export async function readPayrollReadiness(executor: Executor, request: ReadinessRequest): Promise<ReadinessRead> {
  const { organisationId, today, after, limit } = request;
  const rows = await listReadiness(executor, {
    organisationId,
    leftSince: addDays(today, -LONGEST_AFTERMATH_DAYS),
    after,
    count: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1)! : null;
  return { people: page.map(present), next: last === null ? null : { createdAt: last.created_at.toISOString(), personId: last.person_id } };
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
