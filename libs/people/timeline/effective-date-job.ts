import { randomUUID } from 'node:crypto';
import type { CommandContext } from '#commands/command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { handleCommand } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import type { Clock } from '#kernel/clock.js';
import { addDays, dateIn, type LocalDate } from '#kernel/dates.js';
import type { Connections } from '#database/connection-slots.js';
import type { Projector } from '#projections/projector.js';
import {
  decideEffects,
  type Effect,
  type EffectEvent,
  type EffectState,
  employmentEffectAggregate,
  evolveEffects,
  initialEffects,
} from '../employment/employment-effect.js';
import { factsOf } from '../employment/history.js';
import { nextChangeAfter, employmentAsOf } from '../employment/employment-as-of.js';
import type { Fact } from '../employment/timeline.js';
import { employmentAggregate } from '../employment/employment.js';

/** A person whose row is not projected as of today's date in their organisation. */
interface Due {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly time_zone: string;
  /** The day that made the row due. */
  readonly day: LocalDate;
}

const PEOPLE_AT_ONCE = 500;

/**
 * The maximum difference between the clocks of two machines. A row that another process has already moved to
 * a day that begins within this time stays unchanged.
 */
const MIDNIGHT_MILLISECONDS = 120_000;
/** The time zone in which a day begins last. */
const LAST_TIME_ZONE = 'Etc/GMT+12';

/** The dependencies of the effective-date job. */
export interface EffectiveDateJobParts {
  readonly pool: Connections;
  readonly eventStore: EventStore;
  readonly projector: Projector;
  readonly clock: Clock;
}

/** The rows that the job moves to the current day. */
export interface JobScope {
  /** One organisation; null for all of them. */
  readonly organisationId: string | null;
  /**
   * How far a row may be ahead of the current day, in milliseconds, because the clocks of other processes may
   * differ.
   */
  readonly tolerance: number;
}

/**
 * Moves every row to the current day in its organisation's time zone: forwards if the day of a change has
 * come, and back if a change of time zone has put that day into the future again. Records that each change
 * took effect, exactly once, for any number of concurrent processes and any downtime: a stream of its own
 * decides, and the row stays due until the effect is recorded. Returns the number of people.
 */
export async function runEffectiveDateJob(
  parts: EffectiveDateJobParts,
  scope: JobScope = { organisationId: null, tolerance: MIDNIGHT_MILLISECONDS },
): Promise<number> {
  return (await runAll(parts, scope, EARLY)) + (await runAll(parts, scope, LATE));
}

/**
 * Runs the job for an organisation whose time zone was changed, so that the next read is as of the current
 * day there.
 */
export function runEffectiveDateJobOfOrganisation(
  parts: EffectiveDateJobParts,
  organisationId: string,
): Promise<number> {
  return runEffectiveDateJob(parts, { organisationId, tolerance: 0 });
}

interface DueQuery {
  readonly name: string;
  /** The column with the day on which a row becomes due. */
  readonly column: 'next_change_on' | 'shown_since';
  /** The SQL condition, given SQL for the current day of the organisation. */
  readonly isDue: (today: string) => string;
}

/** The day of a change has come. */
const LATE: DueQuery = {
  name: 'due-changes',
  column: 'next_change_on',
  isDue: (today) => `p.next_change_on <= ${today}`,
};
/**
 * The row has terms of a day in the future. The earliest current day of any time zone narrows the search to
 * the changes of the last days.
 */
const EARLY: DueQuery = {
  name: 'early-changes',
  column: 'shown_since',
  isDue: (today) => `p.shown_since > $7::date and p.shown_since > ${today}`,
};

async function runAll(parts: EffectiveDateJobParts, scope: JobScope, dueQuery: DueQuery): Promise<number> {
  let count = 0;
  let last: Due | null = null;
  for (;;) {
    const due: readonly Due[] = await findDue(parts, scope, dueQuery, last);
    for (const person of due) await bringToPresentDay(parts, person);
    count += due.length;
    if (due.length < PEOPLE_AT_ONCE) return count;
    last = due.at(-1)!;
  }
}

/**
 * The next due people, after the last one handled: a person whose row could not be written waits for the next
 * run.
 */
async function findDue(
  { pool, clock }: EffectiveDateJobParts,
  { organisationId, tolerance }: JobScope,
  { name, column, isDue }: DueQuery,
  after: Due | null,
): Promise<readonly Due[]> {
  const isEarly = column === 'shown_since';
  const now = clock.now();
  const instant = isEarly ? new Date(now.getTime() + tolerance) : now;
  const text = `select p.organisation_id, p.person_id, o.time_zone, p.${column} as day
             from people p join organisations o on o.id = p.organisation_id
            where ${isDue('($1::timestamptz at time zone o.time_zone)::date')}
              and ($6::text is null or p.organisation_id = $6)
              and ($3::date is null or (p.${column}, p.organisation_id, p.person_id) > ($3::date, $4::text, $5::text))
            order by p.${column}, p.organisation_id, p.person_id limit $2`;
  const values = [
    instant,
    PEOPLE_AT_ONCE,
    after?.day ?? null,
    after?.organisation_id ?? null,
    after?.person_id ?? null,
    organisationId,
  ];
  const { rows } = await pool.query<Due>({
    name,
    text,
    values: isEarly ? [...values, dateIn(LAST_TIME_ZONE, now)] : values,
  });
  return rows;
}

async function bringToPresentDay(parts: EffectiveDateJobParts, due: Due): Promise<void> {
  const { organisation_id: organisationId, person_id: personId } = due;
  const today = dateIn(due.time_zone, parts.clock.now());
  const employment = await parts.eventStore.readStream(employmentAggregate.streamOf(organisationId, personId));
  const facts = factsOf(employment);
  const { revision } = employment.at(-1)!;
  await recordEffects(parts, { organisationId, personId, today }, effectsBetween(facts, addDays(due.day, -1), today));
  const person = [organisationId, personId, today, revision];
  // A row is only written for a later day than its own, so a row that is ahead is first moved back to the
  // previous day.
  await parts.pool.query(
    `update people set employment_as_of = $3::date - 1 where organisation_id = $1 and person_id = $2
      and employment_as_of > $3 and employment_revision = $4`,
    person,
  );
  await parts.projector.project(parts.pool, [employment], { today: () => today, personKey: () => null });
  await parts.pool.query(
    `update people set next_change_on = $5
      where organisation_id = $1 and person_id = $2 and next_change_on <= $3 and employment_revision = $4`,
    [...person, nextChangeAfter(facts, today)],
  );
}

/** The facts that the row began to reflect after `day`, up to and including `today`. */
function effectsBetween(facts: readonly Fact[], day: LocalDate, today: LocalDate): readonly Effect[] {
  const effects: Effect[] = [];
  for (let next = nextChangeAfter(facts, day); next !== null && next <= today; next = nextChangeAfter(facts, next)) {
    effects.push({ effective_date: next, fact_id: employmentAsOf(facts, next)!.factId });
  }
  return effects;
}

async function recordEffects(
  parts: EffectiveDateJobParts,
  {
    organisationId,
    personId,
    today,
  }: { readonly organisationId: string; readonly personId: string; readonly today: LocalDate },
  due: readonly Effect[],
): Promise<void> {
  const context: CommandContext = {
    organisationId,
    // Recorded with every effect: storage format.
    actor: { type: 'system', id: 'day-roll' },
    requestId: null,
    idempotencyKey: null,
    fingerprint: null,
    // Never a repeat: the stream itself determines the remaining work.
    seed: ['day-roll', randomUUID()],
    today,
  };
  const services = { store: parts.eventStore, executor: parts.pool, projector: parts.projector };
  await commit(services, context, async (within) => {
    await handleCommand<EffectState, EffectEvent>(parts.eventStore, within, {
      stream: employmentEffectAggregate.streamOf(organisationId, personId),
      initial: initialEffects,
      evolve: evolveEffects,
      decide: (state) => decideEffects({ today, due }, state),
      onConflict: 'decide_again',
    });
    return () => undefined;
  });
}
