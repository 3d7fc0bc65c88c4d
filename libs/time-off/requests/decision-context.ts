import type { Executor } from '#projections/projection.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '../category/time-off-category.js';
import {
  settingsOf,
  type StoredTimeOffSettings,
  TIME_OFF_SETTINGS_OF,
  type TimeOffSettingsRow,
} from '../settings/time-off-settings.js';
import { EMPLOYMENT_DAYS_OF, type EmployedPerson, employedPersonOf, type EmploymentRow } from './employment-days.js';
import type { Dates } from '../records/time-off.rules.js';

/** The data besides the calendar from which a request is decided, as currently known. */
export interface DecisionContext {
  /** Null if the organisation has no such person. */
  readonly person: EmployedPerson | null;
  /** Null if the organisation has no such category. */
  readonly category: TimeOffCategoryRow | null;
  readonly settings: TimeOffSettingsRow;
  /** The revision up to which the calendar's rows are written; null if there are none. */
  readonly seen: number | null;
  /**
   * The person whose calendar already has a record with the request's id, because the idempotency key was
   * used before; null if there is none.
   */
  readonly recordedFor: string | null;
}

/**
 * The row that {@link readDecisionContext} reads. Its times are text, because PostgreSQL has converted them
 * to JSON.
 */
interface DecisionContextRow {
  readonly employment: EmploymentRow | null;
  readonly category: TimeOffCategoryRow | null;
  readonly settings: StoredTimeOffSettings | null;
  readonly seen: number | null;
  readonly recorded_for: string | null;
}

const READ = `select
    (select row_to_json(e) from (${EMPLOYMENT_DAYS_OF}) e) as employment,
    (select row_to_json(c) from (select ${timeOffCategoryTable.selectList()} from time_off_categories
    where organisation_id = $1 and id = $5) c) as category,
    (select row_to_json(s) from (${TIME_OFF_SETTINGS_OF}) s) as settings,
    (select max(t.revision) from time_off t where t.organisation_id = $1 and t.person_id = $2) as seen,
    (select t.person_id from time_off t where t.organisation_id = $1 and t.id = $6) as recorded_for`;

/**
 * Reads all data from which a request for these days is decided, in one statement: separate statements would
 * cost several times as much. Throws if the organisation does not exist.
 */
export async function readDecisionContext(
  executor: Executor,
  organisationId: string,
  request: {
    readonly timeOffId: string;
    readonly personId: string;
    readonly categoryId: string;
    readonly dates: Pick<Dates, 'start_date' | 'end_date'>;
  },
): Promise<DecisionContext> {
  const { timeOffId, personId, categoryId, dates } = request;
  const { rows } = await executor.query<DecisionContextRow>({
    name: 'time-off-decision-context',
    text: READ,
    values: [organisationId, personId, dates.start_date, dates.end_date, categoryId, timeOffId],
  });
  const { employment, category, settings, seen, recorded_for: recordedFor } = rows[0]!;
  if (settings === null) throw new Error('the organisation of a request does not exist');
  return {
    person: employment === null ? null : employedPersonOf(employment),
    category:
      category === null
        ? null
        : { ...category, created_at: new Date(category.created_at), updated_at: new Date(category.updated_at) },
    settings: settingsOf({
      ...settings,
      first_person_at: settings.first_person_at === null ? null : new Date(settings.first_person_at),
      updated_at: new Date(settings.updated_at),
    }),
    seen,
    recordedFor,
  };
}
