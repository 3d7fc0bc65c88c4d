import { emailKey } from '#http/fields/email-address.js';
import { randomBytes } from 'node:crypto';
import {
  openPersonKey,
  openPersonKeys,
  storingPersonKeys,
  type StoredPersonKey,
  type WrapPersonKey,
} from '#database/key-rings/person-key-seal.js';
import type { CommandContext } from '#commands/command-context.js';
import { type EventStore, type NewEvent, type RecordedEvent, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { asRecorded, toNewEvents } from '#commands/handle-command.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import {
  employmentAggregate,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
  initialEmployment,
} from '../employment/employment.decider.js';
import { type EmailReservations, STALE_RESERVATION } from '../people/email-reservations.js';
import { PERSON_KEY_BYTES } from '../person/person-seal.js';
import { personAggregate } from '../person/person.decider.js';

/** All recorded events of one person's identity and employment. */
export interface LoadedPerson {
  readonly employment: readonly RecordedEvent[];
  readonly identity: readonly RecordedEvent[];
  readonly state: EmploymentState;
}

/** A person of whom nothing is recorded. */
const NOBODY: LoadedPerson = { employment: [], identity: [], state: initialEmployment };

/**
 * As {@link loadPeople}, of people who may be new. A person's key is stored before the first event of either stream is appended, so the
 * streams of a person without one need no look: if somebody creates that person meanwhile, the append is refused.
 */
export async function loadWhoMayBeNew(
  { executor, store }: { readonly executor: Executor; readonly store: EventStore },
  organisationId: string,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, LoadedPerson>> {
  const { rows } = await executor.query<{ person_id: string }>({
    name: 'import-people-with-keys',
    text: 'select person_id from person_keys where organisation_id = $1 and person_id = any($2::text[])',
    values: [organisationId, personIds],
  });
  const loaded = await loadPeople(
    store,
    organisationId,
    rows.map((row) => row.person_id),
  );
  return new Map(personIds.map((id) => [id, loaded.get(id) ?? NOBODY]));
}

/** Loads the streams of people in one round trip where the store supports it; the result is keyed by person id. */
export async function loadPeople(
  store: EventStore,
  organisationId: string,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, LoadedPerson>> {
  const streams = await store.readStreams(
    personIds.flatMap((id) => [employmentAggregate.streamOf(organisationId, id), personAggregate.streamOf(organisationId, id)]),
  );
  return new Map(
    personIds.map((id, index) => {
      const employment = streams[2 * index]!;
      const state = employment.reduce(
        (folded, event) => evolveEmployment(folded, { type: event.type, data: event.data } as EmploymentEvent),
        initialEmployment,
      );
      return [id, { employment, identity: streams[2 * index + 1]!, state }];
    }),
  );
}

/** Events to append to a stream that was loaded. */
export interface StreamChange {
  readonly stream: string;
  readonly loaded: readonly RecordedEvent[];
  /** Each event with the seed of its id, which is the same whenever the same rows are imported. */
  readonly events: readonly (DomainEvent & { readonly seed: string })[];
}

/** The whole stream afterwards; `refused` where another command was first; `repeated` where these events were recorded before. */
export type StreamOutcome = readonly RecordedEvent[] | 'refused' | 'repeated';

/** Keeps an append below {@link MAXIMUM_APPEND_BYTES}, whatever the terms are. */
const MOST_EVENTS_AT_ONCE = 200;

/** Appends to many streams, in one round trip where the store supports it; the result is keyed by stream name. */
export async function appendChanges(
  store: EventStore,
  context: CommandContext,
  changes: readonly StreamChange[],
): Promise<ReadonlyMap<string, StreamOutcome>> {
  const outcomes = new Map<string, StreamOutcome>(changes.map(({ stream, loaded }) => [stream, loaded]));
  for (let first = 0; ; first += MOST_EVENTS_AT_ONCE) {
    const wave = changes.flatMap(({ stream, events }) => {
      const before = outcomes.get(stream)!;
      const next = events.slice(first, first + MOST_EVENTS_AT_ONCE);
      return typeof before === 'string' || next.length === 0 ? [] : [{ stream, before, events: linked(context, stream, before, next) }];
    });
    if (wave.length === 0) return outcomes;
    context.beforeAppend?.();
    const landed = await store.appendMany(
      wave.map(({ stream, before, events }) => ({ stream, expected: before.at(-1)?.revision ?? 'none', events })),
    );
    wave.forEach(({ stream, before, events }, index) => {
      const result = landed[index]!;
      if (result instanceof WrongExpectedRevisionError) outcomes.set(stream, 'refused');
      else outcomes.set(stream, result.repeated ? 'repeated' : [...before, ...asRecorded(stream, events, result)]);
    });
  }
}

function linked(
  context: CommandContext,
  stream: string,
  before: readonly RecordedEvent[],
  events: StreamChange['events'],
): readonly NewEvent[] {
  let previousHash = before.at(-1)?.metadata.hash ?? null;
  return events.flatMap(({ seed, type, data }) => {
    const own = toNewEvents({ ...context, seed: ['import', seed] }, stream, [{ type, data }], { previousHash });
    previousHash = own.at(-1)!.metadata.hash;
    return own;
  });
}

/** The revisions of a person's streams that the read table shows. */
export interface StoredRevisions {
  readonly identity: number;
  readonly employment: number;
}

/** The revisions that `people` shows of these people, -1 for none. */
export async function storedRevisions(
  executor: Executor,
  organisationId: string,
  personIds: readonly string[],
): Promise<(personId: string) => StoredRevisions> {
  const { rows } = await executor.query<{ person_id: string } & StoredRevisions>({
    name: 'import-stored-revisions',
    text: `select person_id, coalesce(identity_revision, -1) as identity, coalesce(employment_revision, -1) as employment
             from people where organisation_id = $1 and person_id = any($2::text[])`,
    values: [organisationId, personIds],
  });
  const stored = new Map(rows.map((row) => [row.person_id, row]));
  return (personId) => stored.get(personId) ?? { identity: -1, employment: -1 };
}

/** The keys of these people's personal data; none for an erased person. */
export async function personKeys(executor: Executor, organisationId: string, personIds: readonly string[]): Promise<Map<string, Buffer>> {
  if (personIds.length === 0) return new Map();
  const { rows } = await executor.query<StoredPersonKey>({
    name: 'import-person-keys',
    text: 'select organisation_id, person_id, key from person_keys where organisation_id = $1 and person_id = any($2::text[])',
    values: [organisationId, personIds],
  });
  return new Map((await openPersonKeys(executor, rows)).map(({ person_id: personId, key }) => [personId, key]));
}

/** The e-mail address wanted for a new person. */
export interface WantedAddress {
  readonly personId: string;
  readonly email: string;
}

/** A reserved address, with the key of the new person's data; null where another person has the address. */
export type Reserved = { readonly key: Buffer; readonly since: string } | null;

/**
 * Reserves addresses as the creation of a single person does, in one order of locks; keyed by person id. New people with free addresses, which
 * most are, take one statement for all; another one repeats reservations that are there already. An address that another person seems to have
 * is checked separately: the reservation may be stale.
 */
export async function reservePeople(
  executor: Executor,
  reservations: EmailReservations,
  organisationId: string,
  wanted: readonly WantedAddress[],
): Promise<ReadonlyMap<string, Reserved>> {
  if (wanted.length === 0) return new Map();
  const sorted = wanted.toSorted((one, other) => (emailKey(one.email) < emailKey(other.email) ? -1 : 1));
  const reserved = await storingPersonKeys(executor, (wrap) => reserveFree(executor, wrap, organisationId, sorted));
  const others = sorted.filter(({ personId }) => !reserved.has(personId));
  if (others.length > 0) {
    const { rows } = await storingPersonKeys(executor, (wrap) => reserveAgain(executor, wrap, organisationId, others));
    for (const { person_id: personId, holder, person_key: stored, since } of rows) {
      if (holder === personId) reserved.set(personId, { key: await openPersonKey(executor, { organisationId, personId }, stored), since });
    }
  }
  for (const { personId, email } of others) {
    if (!reserved.has(personId)) reserved.set(personId, await reserveOne(reservations, organisationId, personId, email));
  }
  return reserved;
}

/** Returns the reservations of people who had no key and whose addresses were free. The keys come before the addresses, as `reserve_person` has them. */
async function reserveFree(
  executor: Executor,
  wrap: WrapPersonKey,
  organisationId: string,
  sorted: readonly WantedAddress[],
): Promise<Map<string, Reserved>> {
  const keys = new Map(sorted.map(({ personId }) => [personId, randomBytes(PERSON_KEY_BYTES)]));
  const { rows } = await executor.query<{ person_id: string; since: string }>({
    name: 'import-reserve-free',
    text: `with wanted as materialized (
        select * from unnest($2::text[], $3::text[], $4::bytea[]) with ordinality as w(person_id, email, new_key, place)
      ),
      keys as (
        insert into person_keys as k (organisation_id, person_id, key) select $1, w.person_id, w.new_key from wanted w order by w.place
        on conflict do nothing returning k.person_id
      )
      insert into work_email_reservations as r (organisation_id, email_key, person_id)
      select $1, w.email, w.person_id from wanted w where w.person_id in (select k.person_id from keys k) order by w.place
      on conflict do nothing returning r.person_id, r.reserved_at::text as since`,
    values: reservationValues(organisationId, sorted, (personId) => wrap({ organisationId, personId }, keys.get(personId)!)),
  });
  return new Map(rows.map(({ person_id: personId, since }) => [personId, { key: keys.get(personId)!, since }]));
}

/** Reserves what may be reserved already; returns who has each address. */
function reserveAgain(executor: Executor, wrap: WrapPersonKey, organisationId: string, sorted: readonly WantedAddress[]) {
  return executor.query<{ person_id: string; holder: string; person_key: Buffer; since: string }>({
    name: 'import-reserve-people',
    text: `select w.person_id, r.holder, r.person_key, r.since
             from unnest($2::text[], $3::text[], $4::bytea[]) as w(person_id, email, new_key)
            cross join lateral reserve_person($1, w.person_id, w.email, w.new_key, $5::interval) r`,
    values: [
      ...reservationValues(organisationId, sorted, (personId) => wrap({ organisationId, personId }, randomBytes(PERSON_KEY_BYTES))),
      STALE_RESERVATION,
    ],
  });
}

function reservationValues(organisationId: string, sorted: readonly WantedAddress[], keyOf: (personId: string) => Buffer): unknown[] {
  return [
    organisationId,
    sorted.map(({ personId }) => personId),
    sorted.map(({ email }) => emailKey(email)),
    sorted.map(({ personId }) => keyOf(personId)),
  ];
}

async function reserveOne(reservations: EmailReservations, organisationId: string, personId: string, email: string): Promise<Reserved> {
  try {
    return await reservations.reserve(organisationId, personId, email);
  } catch (error) {
    if (error instanceof RejectedError) return null;
    throw error;
  }
}

/** The confirmed ones of these e-mail addresses (`emailKey`), with their holders; reserves nothing. */
export async function confirmedHolders(
  executor: Executor,
  organisationId: string,
  emailKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await executor.query<{ email_key: string; person_id: string }>({
    name: 'import-confirmed-holders',
    text: 'select email_key, person_id from work_email_reservations where organisation_id = $1 and email_key = any($2::text[]) and is_confirmed',
    values: [organisationId, emailKeys],
  });
  return new Map(rows.map((row) => [row.email_key, row.person_id]));
}
