import { createHash } from 'node:crypto';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { MemoryEventStore } from '../memory-event-store.js';
import { toNewEvents } from '#commands/handle-command.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { employmentAggregate, type EmploymentEvent } from '#people/employment/employment.js';
import { sealPersonEvent } from '#people/person/person-seal.js';
import { contextOf } from './world.js';
import { personAggregate } from '#people/person/person.js';

/** The streams of one random person. */
export interface PersonStreams {
  readonly personId: string;
  readonly employment: readonly RecordedEvent[];
  readonly identity: readonly RecordedEvent[];
  readonly effect: readonly RecordedEvent[];
}

/** Returns a store in memory whose clock advances by a second for every event. */
export function steppingStore(): MemoryEventStore {
  let time = Date.parse('2026-02-01T00:00:00Z');
  return new MemoryEventStore(() => new Date((time += 1_000)));
}

/**
 * Records a history, event by event, and in addition an identity and the days that took effect. The person's
 * key is all zeros.
 */
export async function recordHistory(
  store: MemoryEventStore,
  organisationId: string,
  name: string,
  history: readonly EmploymentEvent[],
): Promise<PersonStreams> {
  const personId = personIdOf(organisationId, name);
  const key = Buffer.alloc(32);
  const identity = {
    work_email: `${name}@example.com`,
    first_name: name,
    preferred_name: null,
    last_name: 'Example',
    staff_id: null,
  };
  const created = sealPersonEvent({ type: 'PersonCreated', data: { identity } }, key);
  const changed = sealPersonEvent(
    { type: 'PersonIdentityChanged', data: { identity: { preferred_name: 'P', last_name: null } } },
    key,
  );
  const tookEffect = (fact: EmploymentEvent): DomainEvent => ({
    type: 'EmploymentTookEffect',
    data: { effective_date: '2026-02-01', fact_id: fact.data.fact_id },
  });
  return {
    personId,
    employment: await record(store, organisationId, employmentAggregate.streamOf(organisationId, personId), history),
    identity: await record(
      store,
      organisationId,
      personAggregate.streamOf(organisationId, personId),
      history.length % 2 === 0 ? [created] : [created, changed],
    ),
    effect: await record(
      store,
      organisationId,
      `employment-effect-${organisationId}.${personId}`,
      history.slice(3).map(tookEffect),
    ),
  };
}

/** Records only the employment of a random person, event by event, in any store; returns the person's id. */
export async function recordEmployment(
  store: EventStore,
  organisationId: string,
  name: string,
  history: readonly EmploymentEvent[],
): Promise<string> {
  const personId = personIdOf(organisationId, name);
  await record(store, organisationId, employmentAggregate.streamOf(organisationId, personId), history);
  return personId;
}

function personIdOf(organisationId: string, name: string): string {
  return createHash('sha256')
    .update(organisationId + name)
    .digest('hex')
    .replace(/[ilou]/g, '0')
    .slice(0, 12);
}

async function record(
  store: EventStore,
  organisationId: string,
  stream: string,
  events: readonly DomainEvent[],
): Promise<readonly RecordedEvent[]> {
  const context = contextOf(organisationId, { today: '2026-02-01', seed: stream });
  const chained = toNewEvents(context, stream, events, { previousHash: null });
  for (const [revision, event] of chained.entries())
    await store.append(stream, revision === 0 ? 'none' : revision - 1, [event]);
  return store.readStream(stream);
}
