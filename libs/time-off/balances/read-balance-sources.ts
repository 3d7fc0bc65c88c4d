import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import type { Fact, Terms } from '#people/employment/timeline.js';
import type { TimeOffStatus } from '#kernel/time-off-statuses.js';

/** The state of a record after one of its events. */
export interface RecordedStatus {
  /** ISO 8601. */
  readonly recorded_at: string;
  readonly status_code: TimeOffStatus;
  readonly category_id: string;
  readonly days: readonly { readonly date: LocalDate; readonly minutes: number; readonly counted: boolean }[];
}

/** A fact of an employment with its recorded time. */
export interface RecordedFact {
  readonly fact_id: string;
  readonly action: Fact['action'];
  readonly revision: number;
  readonly effective_from: LocalDate | null;
  readonly terms: Terms;
  readonly corrects: string | null;
  /** ISO 8601. */
  readonly recorded_at: string;
}

/** A record by its states over time. */
export interface RecordedTimeOff {
  readonly id: string;
  /** Oldest first. */
  readonly history: readonly RecordedStatus[];
}

/** An entry of the ledger. */
export interface LedgerEntry {
  readonly adjustment_id: string;
  readonly category_id: string;
  readonly amount_minutes: number;
  readonly effective_date: LocalDate;
}

/** The data from which a person's balances are calculated, besides the organisation's rules. */
export interface BalanceSources {
  readonly display_name: string;
  /** Oldest first. */
  readonly facts: readonly RecordedFact[];
  readonly records: readonly RecordedTimeOff[];
  readonly adjustments: readonly LedgerEntry[];
}

/** The facts and adjustments of a row `p` of `people`, as JSON. */
const FACTS = `(select coalesce(json_agg(json_build_object('fact_id', f.fact_id, 'action', f.action, 'revision',
  f.revision, 'effective_from', f.effective_from,
        'terms', f.terms, 'corrects', f.corrects, 'recorded_at', f.recorded_at) order by f.revision), '[]')
      from employment_facts f where f.organisation_id = p.organisation_id and f.person_id = p.person_id)`;
const ADJUSTMENTS = `(select coalesce(json_agg(json_build_object('adjustment_id', a.id, 'category_id',
  a.category_id, 'amount_minutes', a.amount_minutes, 'effective_date', a.effective_date)), '[]')
      from balance_adjustments a where a.organisation_id = p.organisation_id and a.person_id = p.person_id)`;

/** The row `p` of the person of `$2` in the organisation of `$1`. */
export const PERSON =
  'from people p where p.organisation_id = $1 and p.person_id = $2 and p.identity_revision is not null';

/** The columns of {@link BalanceSources} of a row `p` of `people`. */
export const BALANCE_SOURCES = `p.display_name, ${FACTS} as facts,
    (select coalesce(json_agg(json_build_object('id', t.id, 'history', t.history)), '[]') from time_off t
    where t.organisation_id = p.organisation_id and t.person_id = p.person_id) as records,
    ${ADJUSTMENTS} as adjustments`;

const READ = `select ${BALANCE_SOURCES}
  ${PERSON}`;

/** The current state of a record, as the only state of its history: its recorded time makes no difference. */
export function presentRecordedStatus({
  id,
  status,
  category_id,
  days,
}: { readonly id: string; readonly status: TimeOffStatus } & Pick<
  RecordedStatus,
  'category_id' | 'days'
>): RecordedTimeOff {
  return { id, history: [{ recorded_at: '1970-01-01T00:00:00.000Z', status_code: status, category_id, days }] };
}

/** Reads all sources of one person in one statement; null if the organisation has no such person. */
export async function readBalanceSources(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<BalanceSources | null> {
  const { rows } = await executor.query<BalanceSources>({
    name: 'balance-sources',
    text: READ,
    values: [organisationId, personId],
  });
  return rows[0] ?? null;
}

/**
 * Reads only the person's employment, for callers that have records and adjustments from their streams; null
 * as with {@link readBalanceSources}.
 */
export async function readEmploymentSources(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<BalanceSources | null> {
  const text = `select p.display_name, ${FACTS} as facts, '[]'::json as records, '[]'::json as adjustments ${PERSON}`;
  const { rows } = await executor.query<BalanceSources>({
    name: 'employment-sources',
    text,
    values: [organisationId, personId],
  });
  return rows[0] ?? null;
}

/** The person whose balance an adjustment changes; null if there is no adjustment with this id. */
export async function personOfAdjustment(
  executor: Executor,
  organisationId: string,
  adjustmentId: string,
): Promise<string | null> {
  const { rows } = await executor.query<{ person_id: string }>({
    name: 'person-of-adjustment',
    text: 'select person_id from balance_adjustments where organisation_id = $1 and id = $2',
    values: [organisationId, adjustmentId],
  });
  return rows[0]?.person_id ?? null;
}
