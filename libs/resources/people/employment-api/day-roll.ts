import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { handleCommand } from '#commands/handle-command.js';
import type { Clock } from '#kernel/clock.js';
import { addDays, dateIn, type LocalDate } from '#kernel/dates.js';
import type { DomainEvent } from '#kernel/decider.js';
import type { Projector } from '#projections/projector.js';
import { employmentStream } from '../people/people-writer.js';
import { type EmploymentEvent, factOf } from '../employment/employment.decider.js';
import { type Fact, nextChangeAfter, shownOn } from '../employment/timeline.js';

// These names and fields are the storage format.
type EffectEvent = DomainEvent<'EmploymentTookEffect', { effective_date: LocalDate; fact_id: string }>;

/** Which dates have been recorded as having come, with the fact that took effect. */
type EffectState = ReadonlySet<string>;

interface Due {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly time_zone: string;
  readonly next_change_on: LocalDate;
}

const PEOPLE_AT_ONCE = 500;

/** What rolling the day stands on. */
export interface DayRollParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projector: Projector;
  readonly clock: Clock;
}

/**
 * Records, for every change whose day has come in its organisation's time zone, that it took effect, and shows it. Once
 * for each change, however many processes roll and however many days they were down: the event is decided against its
 * own stream, and the row stays due until that is done.
 */
export async function rollDay(parts: DayRollParts): Promise<number> {
  let rolled = 0;
  let last: Due | null = null;
  for (;;) {
    const due: readonly Due[] = await findDue(parts, last);
    for (const person of due) await rollPerson(parts, person);
    rolled += due.length;
    if (due.length < PEOPLE_AT_ONCE) return rolled;
    last = due.at(-1)!;
  }
}

/** The next people whose day has come, after one that was rolled: somebody who could not be rolled now waits for the next time. */
async function findDue(parts: DayRollParts, after: Due | null): Promise<readonly Due[]> {
  const { rows } = await parts.pool.query<Due>({
    name: 'due-changes',
    text: `select p.organisation_id, p.person_id, o.time_zone, p.next_change_on
             from people p join organisations o on o.id = p.organisation_id
            where p.next_change_on <= ($1::timestamptz at time zone o.time_zone)::date
              and ($3::date is null or (p.next_change_on, p.organisation_id, p.person_id) > ($3::date, $4::text, $5::text))
            order by p.next_change_on, p.organisation_id, p.person_id limit $2`,
    values: [parts.clock.now(), PEOPLE_AT_ONCE, after?.next_change_on ?? null, after?.organisation_id ?? null, after?.person_id ?? null],
  });
  return rows;
}

async function rollPerson(parts: DayRollParts, due: Due): Promise<void> {
  const { organisation_id: organisationId, person_id: personId } = due;
  const today = dateIn(due.time_zone, parts.clock.now());
  const employment = await parts.eventStore.readStream(employmentStream(organisationId, personId));
  const facts = employment.map((event) => factOf({ type: event.type, data: event.data } as EmploymentEvent, event.revision));
  const effects = effectsBetween(facts, addDays(due.next_change_on, -1), today);
  if (effects.length > 0) await recordEffects(parts, { organisationId, personId, today }, effects);
  const known = { today: () => today, personKey: () => null };
  await parts.projector.project(parts.pool, [employment], known);
  await parts.pool.query(
    `update people set next_change_on = $3
      where organisation_id = $1 and person_id = $2 and next_change_on <= $4 and employment_revision = $5`,
    [organisationId, personId, nextChangeAfter(facts, today), today, employment.at(-1)!.revision],
  );
}

/** What began to be shown after `day`, up to and including `today`. */
export function effectsBetween(facts: readonly Fact[], day: LocalDate, today: LocalDate): readonly EffectEvent[] {
  const effects: EffectEvent[] = [];
  for (let next = nextChangeAfter(facts, day); next !== null && next <= today; next = nextChangeAfter(facts, next)) {
    effects.push({ type: 'EmploymentTookEffect', data: { effective_date: next, fact_id: shownOn(facts, next)!.factId } });
  }
  return effects;
}

async function recordEffects(
  parts: DayRollParts,
  person: { readonly organisationId: string; readonly personId: string; readonly today: LocalDate },
  effects: readonly EffectEvent[],
): Promise<void> {
  const stream = `employment-effect-${person.organisationId}.${person.personId}`;
  const context: CommandContext = {
    organisationId: person.organisationId,
    actor: { type: 'system', id: 'day-roll' },
    requestId: null,
    idempotencyKey: null,
    fingerprint: null,
    seed: ['day-roll', person.organisationId, person.personId, ...effects.map(keyOf)],
    today: person.today,
  };
  const result = await handleCommand<EffectState, EffectEvent>(parts.eventStore, context, {
    stream,
    initial: new Set(),
    evolve: (state, event) => new Set([...state, keyOf(event)]),
    decide: (state) => ({ events: effects.filter((effect) => !state.has(keyOf(effect))) }),
    onConflict: 'decide_again',
  });
  await parts.projector.project(parts.pool, [result.events]);
}

function keyOf(effect: EffectEvent): string {
  return `${effect.data.effective_date} ${effect.data.fact_id}`;
}
