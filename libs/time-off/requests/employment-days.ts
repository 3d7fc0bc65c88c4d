import { addDays, dayAfter, EARLIEST_DATE, type LocalDate } from '#kernel/dates.js';
import { conflict, type Rejection } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import type { WorkingPattern } from '#organisation/working-pattern/working-pattern.js';
import { employmentAsOf } from '#people/employment/employment-as-of.js';
import { believed, type Fact, periodsOf } from '#people/employment/timeline.js';
import { standardDay } from '../records/day-count.rules.js';
import type { Dates } from '../records/time-off.rules.js';

type Cycle = Pick<WorkingPattern, 'cycle_weeks' | 'anchor_date' | 'days'>;

/** A person's employment over some days, as currently known. */
export interface EmploymentSegment {
  /** Null if it has no beginning: the employment has no start date. */
  readonly from: LocalDate | null;
  /** Exclusive; null if it has not ended. */
  readonly to: LocalDate | null;
  /** False after a final day, until a rehire. */
  readonly employed: boolean;
  readonly contracted_weekly_minutes: number | null;
  readonly full_time_weekly_minutes: number | null;
  readonly pattern: Cycle | null;
}

/** A person's employment over the days of a request. */
export class EmploymentDays {
  private readonly usual = new Map<EmploymentSegment, Cycle>();
  /** Runs of employed days without a gap, oldest first. */
  private readonly runs: readonly Pick<EmploymentSegment, 'from' | 'to'>[];

  /** @param segments - never overlap; before and between them the person was not employed */
  constructor(readonly segments: readonly EmploymentSegment[]) {
    this.runs = runsOf(segments);
  }

  employedOn(day: LocalDate): boolean {
    return this.segmentOn(day)?.employed === true;
  }

  /**
   * The pattern in force; without one, Monday to Friday with a fifth of the week's minutes (`standardDay`).
   */
  patternOn(day: LocalDate): Cycle | null {
    const segment = this.segmentOn(day);
    return segment === undefined ? null : (segment.pattern ?? this.usualWeek(segment));
  }

  /** Refuses dates that contain a day on which the person is not employed; each case has its own message. */
  rejection(dates: Dates): Rejection | null {
    for (let day = dates.start_date; day <= dates.end_date; day = addDays(day, 1)) {
      const segment = this.segmentOn(day);
      if (segment?.employed === true) continue;
      const field = day === dates.start_date ? 'start_date' : 'end_date';
      const finalDay = segment?.from === undefined || segment.from === null ? null : addDays(segment.from, -1);
      return conflict(
        field,
        finalDay === null
          ? `the person is not employed on ${day}`
          : `the person is not employed on ${day}: ${finalDay} was their final day`,
      );
    }
    return null;
  }

  /** The first unbroken run of days of these dates on which the person is employed; null if there is none. */
  employedWithin({
    start_date: start,
    end_date: end,
  }: Pick<Dates, 'start_date' | 'end_date'>): { readonly first: LocalDate; readonly last: LocalDate } | null {
    const run = this.runs.find(({ from, to }) => (from === null || from <= end) && (to === null || to > start));
    if (run === undefined) return null;
    const { from, to } = run;
    return {
      first: from === null || from < start ? start : from,
      last: to === null || to > end ? end : addDays(to, -1),
    };
  }

  /** Whether the person's first employment begins after this day. */
  beginsAfter(day: LocalDate): boolean {
    const from = this.runs[0]?.from ?? null;
    return from !== null && from > day;
  }

  /** The same employment without a beginning, if its first day is not recorded. */
  withoutBeginning(): EmploymentDays {
    const first = this.segments.filter(({ employed }) => employed).toSorted(byFirstDay)[0];
    return new EmploymentDays(
      this.segments.map((segment) => (segment === first ? { ...segment, from: null } : segment)),
    );
  }

  private segmentOn(day: LocalDate): EmploymentSegment | undefined {
    return this.segments.find(({ from, to }) => (from === null || from <= day) && (to === null || day < to));
  }

  private usualWeek(segment: EmploymentSegment): Cycle {
    const known = this.usual.get(segment);
    if (known !== undefined) return known;
    const halves = standardDay(segment.contracted_weekly_minutes, segment.full_time_weekly_minutes);
    const week = {
      cycle_weeks: 1,
      anchor_date: '2024-01-01',
      days: [1, 2, 3, 4, 5].map((weekday) => ({ week: 1, weekday, ...halves })),
    };
    this.usual.set(segment, week);
    return week;
  }
}

function byFirstDay(one: EmploymentSegment, other: EmploymentSegment): number {
  return (one.from ?? '') < (other.from ?? '') ? -1 : 1;
}

function runsOf(segments: readonly EmploymentSegment[]): readonly Pick<EmploymentSegment, 'from' | 'to'>[] {
  const employed = segments.filter((segment) => segment.employed).toSorted(byFirstDay);
  const runs: Pick<EmploymentSegment, 'from' | 'to'>[] = [];
  for (const { from, to } of employed) {
    const last = runs.at(-1);
    if (last !== undefined && last.to === from) runs[runs.length - 1] = { from: last.from, to };
    else runs.push({ from, to });
  }
  return runs;
}

/** The columns that are read of a person. */
export interface EmploymentRow extends Omit<EmploymentSegment, 'from' | 'to' | 'employed'> {
  /** Null also if the employment has a start date: its segments have their own. */
  readonly pattern: Cycle | null;
  readonly display_name: string;
  readonly work_email: string;
  readonly employment_revision: number | null;
  readonly start_date: LocalDate | null;
  readonly end_date: LocalDate | null;
  readonly segments: readonly EmploymentSegment[];
}

const CYCLE = `case when w.id is not null then json_build_object('cycle_weeks', w.cycle_weeks, 'anchor_date',
  w.anchor_date, 'days', w.days) end`;

/** For the person `$2` of the organisation `$1`, over the days from `$3` to `$4`, both included. */
export const EMPLOYMENT_DAYS_OF = `select p.display_name, p.work_email, p.employment_revision, p.start_date, p.end_date,
  p.contracted_weekly_minutes, p.full_time_weekly_minutes,
    case when p.start_date is null
      then (select ${CYCLE} from working_patterns w where w.organisation_id = p.organisation_id
      and w.id = p.working_pattern_id)
    end as pattern,
    (select coalesce(json_agg(json_build_object('from', lower(b.valid), 'to', upper(b.valid), 'employed', b.employed,
        'contracted_weekly_minutes', b.contracted_weekly_minutes, 'full_time_weekly_minutes',
        b.full_time_weekly_minutes, 'pattern', ${CYCLE})), '[]')
      from employment_beliefs b
      left join working_patterns w on w.organisation_id = b.organisation_id and w.id = b.working_pattern_id
     where b.organisation_id = p.organisation_id and b.person_id = p.person_id and upper_inf(b.known)
       and b.valid && daterange($3::date, $4::date, '[]')) as segments
  from people p where p.organisation_id = $1 and p.person_id = $2 and p.identity_revision is not null`;

/** A person's name and employment over some days. */
export interface EmployedPerson {
  readonly displayName: string;
  /** The address in their row, `[erased]` after an erasure. */
  readonly workEmail: string;
  /** The revision of the employment stream up to which this was read. */
  readonly employmentRevision: number | null;
  readonly employment: EmploymentDays;
}

/**
 * The person's name and employment from one day to another, both included; null if the organisation has no
 * such person.
 */
export async function readEmploymentDays(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  from: LocalDate,
  to: LocalDate,
): Promise<EmployedPerson | null> {
  const { rows } = await executor.query<EmploymentRow>({
    name: 'employment-days',
    text: EMPLOYMENT_DAYS_OF,
    values: [person.organisationId, person.personId, from, to],
  });
  const row = rows[0];
  return row === undefined ? null : employedPersonOf(row);
}

/** The person of a row of {@link EMPLOYMENT_DAYS_OF}. */
export function employedPersonOf(row: EmploymentRow): EmployedPerson {
  const { display_name: displayName, work_email: workEmail, employment_revision: employmentRevision } = row;
  return { displayName, workEmail, employmentRevision, employment: new EmploymentDays(segmentsOf(row)) };
}

/**
 * An employment without dates has no intervals until its final day is recorded; it counts as in force on
 * every day. Earlier releases stored no intervals for ended ones either, and their rows stay until the person
 * is projected again.
 */
function segmentsOf(row: EmploymentRow): readonly EmploymentSegment[] {
  if (row.start_date !== null || row.segments.some(({ from }) => from === null)) return row.segments;
  const { contracted_weekly_minutes, full_time_weekly_minutes, pattern, end_date: finalDay } = row;
  const to = finalDay === null ? null : dayAfter(finalDay);
  return [
    { from: null, to, employed: true, contracted_weekly_minutes, full_time_weekly_minutes, pattern },
    ...row.segments,
  ];
}

/** A person's employment on all days, as these facts describe it. */
export async function employmentOfFacts(
  executor: Executor,
  organisationId: string,
  facts: readonly Fact[],
): Promise<EmploymentDays> {
  const latest = periodsOf(facts).at(-1);
  // Without dates the facts have no place in time: the employment counts as in force on every day.
  const isUndated = latest !== undefined && latest.start === null && latest.finalDay === null;
  const always = isUndated
    ? [{ validFrom: null, validTo: null, employed: true, terms: employmentAsOf(facts, EARLIEST_DATE)!.terms }]
    : [];
  const segments = [...always, ...believed(facts)];
  const ids = segments.map(({ terms }) => terms.working_pattern_id).filter((id) => id !== null);
  const { rows } = await executor.query<Cycle & { readonly id: string }>({
    name: 'cycles-of-patterns',
    text: `select id, cycle_weeks, anchor_date, days from working_patterns
      where organisation_id = $1 and id = any($2::text[])`,
    values: [organisationId, [...new Set(ids)]],
  });
  const patterns = new Map(rows.map(({ id, ...cycle }) => [id, cycle]));
  return new EmploymentDays(
    segments.map(({ validFrom, validTo, employed, terms }) => ({
      from: validFrom,
      to: validTo,
      employed,
      contracted_weekly_minutes: terms.contracted_weekly_minutes,
      full_time_weekly_minutes: terms.full_time_weekly_minutes,
      pattern: terms.working_pattern_id === null ? null : (patterns.get(terms.working_pattern_id) ?? null),
    })),
  );
}
