import type { Pool, PoolClient } from 'pg';
import type { LocalDate } from '#kernel/dates.js';
import { conflict, type Rejection } from '#kernel/rejection.js';
import { believed, type Fact } from './timeline.js';

interface ManagedInterval {
  readonly managerId: string;
  readonly from: LocalDate;
  /** Exclusive; null for "still". */
  readonly to: LocalDate | null;
}

/** Follows managers upwards, day by day in intervals, from a new manager over the days that they would manage. */
const CYCLE = `
with recursive upwards(person_id, valid) as (
  select manager_id collate "C", valid::daterange from unnest($3::text[], $4::text[]) as gained(manager_id, valid)
  union
  select b.manager_id, b.valid * u.valid
    from upwards u
    join employment_beliefs b
      on b.organisation_id = $1 and b.person_id = u.person_id and upper_inf(b.known) and b.manager_id is not null and b.valid && u.valid
   where u.person_id <> $2
)
select 1 from upwards where person_id = $2 limit 1`;

/**
 * Keeps managers free of cycles, on every day of every timeline (docs/reference/people-and-employment.md). The rule spans
 * streams, so commands that give somebody a manager take turns within an organisation: by a lock in PostgreSQL between
 * processes, and by a queue within one, so that waiting takes one connection at most.
 */
export class ManagerGuard {
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly pool: Pool) {}

  /** A command's turn; it begins with the first refusal() that needs it and must be ended. */
  turn(organisationId: string, personId: string): ManagerTurn {
    return new ManagerTurn(this.pool, organisationId, personId, () => this.enter());
  }

  private async enter(): Promise<() => void> {
    const before = this.last;
    let leave: () => void = () => undefined;
    this.last = new Promise((resolve) => (leave = resolve));
    await before;
    return leave;
  }
}

class ManagerTurn {
  private connection: PoolClient | null = null;
  private leave: (() => void) | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly organisationId: string,
    private readonly personId: string,
    private readonly enter: () => Promise<() => void>,
  ) {}

  /** Why these facts may not become those: somebody would come to manage themselves. */
  async refusal(before: readonly Fact[], after: readonly Fact[]): Promise<Rejection | null> {
    const gained = gainedManagers(before, after);
    if (gained.length === 0) return null;
    await this.begin();
    const values = [this.organisationId, this.personId, gained.map((one) => one.managerId), gained.map((one) => `[${one.from},${one.to ?? ''})`)];
    const { rowCount } = await this.connection!.query({ name: 'manager-cycle', text: CYCLE, values });
    return rowCount === 0 ? null : conflict('manager_id', 'would make a cycle: this person manages that manager, directly or through others');
  }

  /** Lets the next command in. */
  async end(): Promise<void> {
    const { connection, leave } = this;
    this.connection = null;
    this.leave = null;
    try {
      if (connection !== null) await this.unlock(connection);
    } finally {
      leave?.();
    }
  }

  private async begin(): Promise<void> {
    if (this.connection !== null) return;
    this.leave = await this.enter();
    this.connection = await this.pool.connect();
    await this.connection.query(`select pg_advisory_lock(hashtextextended('managers ' || $1, 0))`, [this.organisationId]);
  }

  private async unlock(connection: PoolClient): Promise<void> {
    try {
      await connection.query(`select pg_advisory_unlock(hashtextextended('managers ' || $1, 0))`, [this.organisationId]);
      connection.release();
    } catch (error) {
      // A connection that is gone has let the lock go with it; the pool must not hand it out again.
      connection.release(error instanceof Error ? error : true);
    }
  }
}

/** The intervals that have a manager whom they had not before, or not over all of it. */
export function gainedManagers(before: readonly Fact[], after: readonly Fact[]): readonly ManagedInterval[] {
  const had = managed(before);
  return managed(after).filter((gained) => !had.some((one) => one.managerId === gained.managerId && contains(one, gained)));
}

function contains(outer: ManagedInterval, inner: ManagedInterval): boolean {
  return outer.from <= inner.from && (outer.to === null || (inner.to !== null && inner.to <= outer.to));
}

function managed(facts: readonly Fact[]): readonly ManagedInterval[] {
  return believed(facts).flatMap(({ terms, validFrom: from, validTo: to }) =>
    terms.manager_id === null ? [] : [{ managerId: terms.manager_id, from, to }],
  );
}
