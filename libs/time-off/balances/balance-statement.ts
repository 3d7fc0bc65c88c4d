import type { Append } from '#event-store/event-store.js';
import type { LocalDate } from '#kernel/dates.js';
import type { TimeOffStatus } from '#kernel/time-off-statuses.js';
import type { Executor } from '#projections/projection.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '../category/time-off-category.js';
import { ALWAYS } from './accounts.js';
import { type Amount, AMOUNT_NAMES, type AmountName, type Line, type LineFact, type LineRule } from './amount.rules.js';
import type { Statement } from './balance.rules.js';
import type { CategoryBalance } from './balance-shapes.js';
import { type Day, dateOf } from './dated.rules.js';
import type { Adjustment, AdjustmentReason } from './ledger.js';
import { BALANCE_SOURCES, type BalanceSources, PERSON, readBalanceSources } from './read-balance-sources.js';
import { type BalanceQuestion, BalanceRules, readBalanceOrganisation } from './read-balances.js';

/** A fact from which a line is calculated, with the dates by which a reader recognises it. */
type StatedFact =
  | {
      readonly kind: 'time_off';
      readonly id: string;
      readonly start_date: LocalDate;
      readonly end_date: LocalDate;
      readonly status_code: TimeOffStatus;
    }
  | {
      readonly kind: 'adjustment';
      readonly id: string;
      readonly reason_code: AdjustmentReason;
      /** ISO 8601. */
      readonly recorded_at: string;
      readonly reverses: string | null;
      readonly reversed_by: string | null;
    }
  /** Null for a first or a final day that is not known. */
  | { readonly kind: 'employment'; readonly first_day: LocalDate | null; readonly final_day: LocalDate | null }
  /** `applies_from`: the day of a version, null for the first one, which holds on all earlier days too. */
  | { readonly kind: 'settings' | 'full_time_equivalent'; readonly applies_from: LocalDate | null }
  | { readonly kind: 'category'; readonly id: string; readonly applies_from: LocalDate | null };

interface StatedAmount {
  readonly minutes: number;
  readonly lines: readonly {
    readonly minutes: number;
    readonly first_day: LocalDate;
    readonly last_day: LocalDate;
    readonly rule: LineRule;
    readonly facts: readonly StatedFact[];
  }[];
}

/** A balance in one category, each amount with the lines whose sum it is. */
export interface CategoryStatement {
  readonly category: { readonly id: string; readonly label: string };
  readonly unit: string;
  /** Null before the first employment. */
  readonly leave_year: { readonly first_day: LocalDate; readonly last_day: LocalDate } | null;
  readonly amounts: Readonly<Record<AmountName, StatedAmount>>;
}

/** The balances of a person at the end of a day, with their lines. */
export interface BalanceStatement {
  readonly person: { readonly id: string; readonly display_name: string };
  readonly as_of: LocalDate;
  /** The length of the person's day in minutes; null if it is not known. */
  readonly minutes_per_day: number | null;
  readonly statements: readonly CategoryStatement[];
}

type RecordedTimeOff = Omit<Extract<StatedFact, { kind: 'time_off' }>, 'kind' | 'id'>;
type RecordedAdjustment = Omit<Extract<StatedFact, { kind: 'adjustment' }>, 'kind' | 'id' | 'reversed_by'>;

/** The sources of a person's balances, and the dates of their records and adjustments by id. */
interface StatementSources extends BalanceSources {
  readonly time_off: Readonly<Record<string, RecordedTimeOff>>;
  readonly entries: Readonly<Record<string, RecordedAdjustment>>;
}

const READ = `select ${BALANCE_SOURCES},
    (select coalesce(json_object_agg(t.id, json_build_object('start_date', t.start_date, 'end_date', t.end_date,
      'status_code', t.status_code)), '{}') from time_off t
      where t.organisation_id = p.organisation_id and t.person_id = p.person_id) as time_off,
    (select coalesce(json_object_agg(a.id, json_build_object('reason_code', a.reason_code, 'reverses', a.reverses,
      'recorded_at', a.created_at)), '{}') from balance_adjustments a
      where a.organisation_id = p.organisation_id and a.person_id = p.person_id) as entries
  ${PERSON}`;

/**
 * A person's balances with the lines of their amounts; null if the organisation has no such person. The
 * balances are those of `readBalances`. `people` reads the rows about the person.
 */
export async function readBalanceStatement(
  executor: Executor,
  { organisationId, personId, asOf, now }: BalanceQuestion,
  people = executor,
): Promise<BalanceStatement | null> {
  const [{ rows }, organisation] = await Promise.all([
    people.query<StatementSources>({ name: 'statement-sources', text: READ, values: [organisationId, personId] }),
    readBalanceOrganisation(executor, organisationId),
  ]);
  const sources = rows[0];
  if (sources === undefined) return null;
  const rules = new BalanceRules(organisation, asOf, now);
  const length = rules.dayLengthOf(sources);
  const calculated = rules.statementOf(sources);
  return {
    person: { id: personId, display_name: sources.display_name },
    as_of: rules.date,
    minutes_per_day: length === null ? null : length.minutes / length.days,
    statements: rules.categories.map((category) => statedCategory(rules, sources, category, calculated(category))),
  };
}

function statedCategory(
  rules: BalanceRules,
  sources: StatementSources,
  category: TimeOffCategoryRow,
  statement: Statement | null,
): CategoryStatement {
  const stated = (amount: Amount | undefined): StatedAmount => ({
    minutes: amount?.minutes ?? 0,
    lines: (amount?.lines() ?? []).map((line) => statedLine(line, category.id, sources)),
  });
  return {
    category: { id: category.id, label: category.label },
    unit: rules.unitOf(category),
    leave_year:
      statement === null ? null : { first_day: dateOf(statement.year.first), last_day: dateOf(statement.year.end - 1) },
    amounts: Object.fromEntries(
      AMOUNT_NAMES.map((name) => [name, stated(statement?.amounts[name])]),
    ) as CategoryStatement['amounts'],
  };
}

function statedLine(
  { minutes, first, last, rule, facts }: Line,
  categoryId: string,
  sources: StatementSources,
): StatedAmount['lines'][number] {
  const stated = facts.map((fact) => statedFact(fact, categoryId, sources));
  return { minutes, first_day: dateOf(first), last_day: dateOf(last), rule, facts: stated };
}

function statedFact(fact: LineFact, categoryId: string, { time_off, entries }: StatementSources): StatedFact {
  const dateOrNull = (day: Day | null): LocalDate | null => (day === null || day === ALWAYS ? null : dateOf(day));
  switch (fact.kind) {
    case 'time_off':
      return { ...fact, kind: 'time_off', ...time_off[fact.id]! };
    case 'adjustment': {
      const { reason_code, recorded_at, reverses } = entries[fact.id]!;
      const reversal = Object.entries(entries).find(([, other]) => other.reverses === fact.id);
      return {
        kind: 'adjustment',
        id: fact.id,
        reason_code,
        recorded_at: new Date(recorded_at).toISOString(),
        reverses,
        reversed_by: reversal?.[0] ?? null,
      };
    }
    case 'employment':
      return { kind: 'employment', first_day: dateOrNull(fact.first), final_day: dateOrNull(fact.last) };
    case 'category':
      return { kind: 'category', id: categoryId, applies_from: dateOrNull(fact.since) };
    default:
      return { kind: fact.kind, applies_from: dateOrNull(fact.since) };
  }
}

/** The balance of a category at the end of the day of an adjustment, without it and with it. */
export interface PreviewedAdjustment {
  readonly as_of: LocalDate;
  readonly before: CategoryBalance;
  readonly after: CategoryBalance;
}

/**
 * The effect of an adjustment that is not recorded.
 *
 * @param append the event that the command decided
 */
export async function previewAdjustment(
  executor: Executor,
  { organisationId, personId, now }: Omit<BalanceQuestion, 'asOf'>,
  { events: [decided] }: Append,
): Promise<PreviewedAdjustment> {
  const adjustment = decided!.data as unknown as Adjustment;
  const [sources, organisation, category] = await Promise.all([
    readBalanceSources(executor, organisationId, personId),
    readBalanceOrganisation(executor, organisationId),
    timeOffCategoryTable.find(executor, organisationId, adjustment.category_id),
  ]);
  const rules = new BalanceRules(organisation, adjustment.effective_date, now);
  const balanceWith = (adjustments: BalanceSources['adjustments']): CategoryBalance =>
    rules.balanceOf({ ...sources!, adjustments })(category!);
  return {
    as_of: adjustment.effective_date,
    before: balanceWith(sources!.adjustments),
    after: balanceWith([...sources!.adjustments, adjustment]),
  };
}
