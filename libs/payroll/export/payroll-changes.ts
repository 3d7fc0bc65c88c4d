import type { Executor } from '#projections/projection.js';
import type { Fact } from '#people/employment/timeline.js';
import type { PayrollMarker } from '../marker/payroll-marker.js';
import type { PayrollWindow } from './payroll-window.js';

/** A fact or a marker that belongs to a window, with the current names of its person. */
export interface ChangeRow {
  readonly person_id: string;
  readonly display_name: string;
  readonly staff_id: string | null;
  /** The data to which a marker refers; null for a fact of an employment. */
  readonly marker: PayrollMarker | null;
  /** The revision in the person's stream of facts, or of markers. */
  readonly revision: number;
  readonly fact_id: string;
  readonly effective_from: string;
  readonly corrected_effective_from: string | null;
  readonly recorded_at: Date;
  readonly horizon: Date;
}

/**
 * The start of a page of changes: after the row recorded at this time, for this person, at this revision.
 * Facts come before markers.
 */
export interface ChangePlace {
  readonly recordedAt: string;
  readonly personId: string;
  /** 0 for a fact, 1 for a marker. */
  readonly source: number;
  readonly revision: number;
  /**
   * The latest recorded time that the run's first page could read. Later facts are left for the next run, so
   * that a run ends while writes continue.
   */
  readonly horizon: string;
}

export interface ChangesPage {
  readonly organisationId: string;
  readonly window: PayrollWindow;
  /** The instants of the window's days in the organisation's time zone; `end` is exclusive. */
  readonly instants: { readonly begin: Date; readonly end: Date };
  readonly after: ChangePlace | null;
  readonly count: number;
}

/** The date of the fact that a correction replaces, looked up for corrections only, because they are few. */
const CORRECTED = `case when f.corrects is not null then
    (select c.effective_from from employment_facts c where c.organisation_id = $1 and c.person_id = f.person_id
    and c.fact_id = f.corrects) end`;

/**
 * The rule of docs/reference/payroll.md, applied in the order of recording, so that a whole run reads each
 * fact once. A fact's place in that order never changes, so pages never miss a fact that existed when the
 * first page was read. Each of the two sources is read in that order, at most one page of each. Only markers
 * of changes and their withdrawals concern payroll; markers of presence concern readiness.
 *
 * @param places - SQL of the start of the page for each source
 */
function changesStatement(horizon: string, places: { readonly facts: string; readonly markers: string }): string {
  return `
select c.person_id, p.display_name, p.staff_id, c.marker, c.revision, c.fact_id, c.effective_from,
  c.corrected_effective_from,
    c.recorded_at, ${horizon} as horizon
  from (
    (select f.person_id, null as marker, 0 as source, f.revision, f.fact_id, f.effective_from,
    ${CORRECTED} as corrected_effective_from, f.recorded_at
       from employment_facts f
      where f.organisation_id = $1 and f.effective_from is not null and f.recorded_at <= ${horizon}${places.facts}
        and (f.effective_from between $2 and $3
             or (f.recorded_at >= $4 and f.recorded_at < $5 and f.effective_from < $2)
             or (f.corrects is not null
                 and (${CORRECTED} between $2 and $3 or (f.recorded_at >= $4 and f.recorded_at < $5
                   and ${CORRECTED} < $2))))
        and exists (select from people p where p.organisation_id = $1 and p.person_id = f.person_id
          and p.identity_revision is not null)
      order by f.recorded_at, f.person_id, f.revision limit $6)
    union all
    (select m.person_id, m.marker, 1 as source, m.revision, m.id as fact_id, m.effective_date as effective_from,
        case when m.withdraws is not null then m.effective_date end as corrected_effective_from, m.recorded_at
       from payroll_markers m
      where m.organisation_id = $1 and m.state = 'changed' and m.recorded_at <= ${horizon}${places.markers}
        and (m.effective_date between $2 and $3 or (m.recorded_at >= $4 and m.recorded_at < $5
          and m.effective_date < $2))
        and exists (select from people p where p.organisation_id = $1 and p.person_id = m.person_id
          and p.identity_revision is not null)
      order by m.recorded_at, m.person_id, m.revision limit $6)
  ) c
  join people p on p.organisation_id = $1 and p.person_id = c.person_id
 order by c.recorded_at, c.person_id, c.source, c.revision limit $6`;
}

const NEWEST = `(select greatest(
  (select max(l.recorded_at) from employment_facts l where l.organisation_id = $1),
  (select max(l.recorded_at) from payroll_markers l where l.organisation_id = $1)))`;

const FIRST_PAGE = changesStatement(NEWEST, { facts: '', markers: '' });
const NEXT_PAGE = changesStatement('$7::timestamptz', {
  facts: ' and (f.recorded_at, f.person_id, f.revision) > ($8::timestamptz, $9::text, $10::bigint)',
  markers: ' and (m.recorded_at, m.person_id, m.revision) > ($8::timestamptz, $9::text, $11::bigint)',
});

/** Before and after every revision. */
const [BEFORE_ALL, AFTER_ALL] = [-1, Number.MAX_SAFE_INTEGER];

/** Facts and markers that belong to the window, in the order of recording. */
export async function listChanges(executor: Executor, page: ChangesPage): Promise<readonly ChangeRow[]> {
  const { organisationId, window, instants, after, count } = page;
  const values = [organisationId, window.from, window.to, instants.begin, instants.end, count];
  const query =
    after === null
      ? { name: 'first-payroll-changes', text: FIRST_PAGE, values }
      : {
          name: 'next-payroll-changes',
          text: NEXT_PAGE,
          values: [
            ...values,
            after.horizon,
            after.recordedAt,
            after.personId,
            ...(after.source === 0 ? [after.revision, BEFORE_ALL] : [AFTER_ALL, after.revision]),
          ],
        };
  const { rows } = await executor.query<ChangeRow>(query);
  return rows;
}

/** Every fact of these people, by person and in the order of recording. */
export async function factsOfPeople(
  executor: Executor,
  organisationId: string,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Fact[]>> {
  const { rows } = await executor.query<Fact & { readonly personId: string }>({
    name: 'facts-of-people',
    text: `select person_id as "personId", fact_id as "factId", action, revision, effective_from as date, terms,
      null as "correctionReason", corrects
             from employment_facts where organisation_id = $1 and person_id = any($2::text[])
               order by person_id, revision`,
    values: [organisationId, [...new Set(personIds)]],
  });
  const facts = new Map<string, Fact[]>();
  for (const { personId, ...fact } of rows) {
    const own = facts.get(personId);
    if (own === undefined) facts.set(personId, [fact]);
    else own.push(fact);
  }
  return facts;
}
