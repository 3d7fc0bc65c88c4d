import { prepared, raw, sql } from '#database/sql.js';
import { ERASED } from '#kernel/erasure.js';
import type { LocalDate } from '#kernel/dates.js';
import { isText, isSafeInteger, type PagedList } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import { reportingTo } from '../sight/reporting.js';
import { PERSON, peopleOf } from './read-people.js';
import { personOf, type PersonRow, type StoredPerson } from './person-row.js';

/**
 * The sort values of a report: the steps below the manager, the name without case and accents, and the id.
 */
export interface ReportPlace {
  readonly depth: number;
  readonly key: string;
  readonly id: string;
}

/** A report of a page. */
export interface ReportRow extends ReportPlace {
  readonly person: PersonRow;
}

/** The query of a list of reports. */
export interface ReportsQuery {
  readonly organisationId: string;
  readonly managerId: string;
  /** Managers are those of this day, as currently known. */
  readonly day: LocalDate;
  /** Whether it includes the reports of reports. */
  readonly isWhole: boolean;
}

/** Reports, those with fewer steps first, then by name. */
export const REPORTS: PagedList<ReportPlace, ReportRow> = {
  route: 'listReports',
  place: { depth: isSafeInteger, key: isText, id: isText },
  placeOf: ({ depth, key, id }) => ({ depth, key, id }),
};

/** The first `count` reports after a place. */
export async function listReports(
  executor: Executor,
  { organisationId, managerId, day, isWhole }: ReportsQuery,
  after: ReportPlace | null,
  count: number,
): Promise<readonly ReportRow[]> {
  const below = reportingTo({ organisationId, managerId, days: [day], knownAt: null, isWhole });
  const place =
    after === null
      ? sql``
      : sql` and (u.depth, p.name_key, p.person_id) > (${after.depth}::integer, ${after.key}, ${after.id})`;
  const { rows } = await executor.query<StoredPerson & { readonly depth: number; readonly key: string }>(
    prepared(sql`select u.depth, p.name_key as key, ${PERSON.columns} from ${below} u
        join (${PERSON.from}) on p.person_id = u.person_id
       where ${peopleOf(organisationId)} and p.work_email <> ${raw(`'${ERASED}'`)}${place}
       order by u.depth, p.name_key, p.person_id limit ${count}`),
  );
  return rows.map((row) => ({ depth: row.depth, key: row.key, id: row.person_id, person: personOf(row) }));
}
