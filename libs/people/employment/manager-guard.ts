import type { LocalDate } from '#kernel/dates.js';
import { conflict, type Rejection } from '#kernel/rejection.js';
import type { UnitContext } from '#commands/unit-of-work.js';
import type { Executor } from '#projections/projection.js';
import { believed, type Fact } from './timeline.js';

export interface ManagedInterval {
  readonly managerId: string;
  /** Null for an unknown day. */
  readonly from: LocalDate | null;
  /** Exclusive; null if open-ended. */
  readonly to: LocalDate | null;
}

/** Follows managers upwards from a new manager, in intervals of the days of management. */
const CYCLE = `
with recursive upwards(person_id, valid) as (
  select manager_id collate "C", valid::daterange from unnest($3::text[], $4::text[]) as gained(manager_id, valid)
  union
  select b.manager_id, b.valid * u.valid
    from upwards u
    join employment_beliefs b
      on b.organisation_id = $1 and b.person_id = u.person_id and upper_inf(b.known) and b.manager_id is not null
      and b.valid && u.valid
   where u.person_id <> $2
)
select 1 from upwards where person_id = $2 limit 1`;

/**
 * Keeps managers free of cycles, on every day of every timeline (docs/reference/people-and-employment.md).
 * The rule spans streams, so units of work that assign a manager run one at a time within an organisation.
 */
export class ManagerGuard {
  constructor(
    private readonly executor: Executor,
    private readonly context: UnitContext,
    private readonly personId: string,
  ) {}

  /** Refuses new facts by which a person would become their own manager; null if there are none. */
  async rejection(before: readonly Fact[], after: readonly Fact[]): Promise<Rejection | null> {
    const gained = gainedManagers(before, after);
    if (gained.length === 0) return null;
    const { organisationId, unit } = this.context;
    await unit.hold({ exclusive: [`managers ${organisationId}`] });
    const values = [organisationId, this.personId, gained.map((one) => one.managerId), gained.map(rangeOf)];
    const { rowCount } = await this.executor.query({ name: 'manager-cycle', text: CYCLE, values });
    return rowCount === 0
      ? null
      : conflict('manager_id', 'would make a cycle: this person manages that manager, directly or through others');
  }
}

/** The interval as a range of PostgreSQL's. */
function rangeOf({ from, to }: ManagedInterval): string {
  return `[${from ?? ''},${to ?? ''})`;
}

/** The intervals whose manager is new for at least a part of the interval. */
export function gainedManagers(before: readonly Fact[], after: readonly Fact[]): readonly ManagedInterval[] {
  const had = managed(before);
  let place = 0;
  return managed(after).filter((gained) => {
    // Both lists are in the order of time: an interval that ends before this one begins also ends before all
    // later ones.
    while (place < had.length && isOverBy(had[place]!, gained.from)) place += 1;
    const one = had[place];
    return one === undefined || one.managerId !== gained.managerId || !contains(one, gained);
  });
}

function isOverBy({ to }: ManagedInterval, day: LocalDate | null): boolean {
  return to !== null && to <= (day ?? '');
}

function contains(outer: ManagedInterval, inner: ManagedInterval): boolean {
  return (outer.from ?? '') <= (inner.from ?? '') && (outer.to === null || (inner.to !== null && inner.to <= outer.to));
}

/**
 * The intervals with a manager, in the order of time; adjacent intervals with the same manager are merged.
 */
function managed(facts: readonly Fact[]): readonly ManagedInterval[] {
  const intervals: ManagedInterval[] = [];
  for (const { terms, validFrom: from, validTo: to } of believed(facts)) {
    const { manager_id: managerId } = terms;
    if (managerId === null) continue;
    const last = intervals.at(-1);
    if (last !== undefined && last.managerId === managerId && last.to === from)
      intervals[intervals.length - 1] = { ...last, to };
    else intervals.push({ managerId, from, to });
  }
  return intervals;
}
