import { randomBytes } from 'node:crypto';
import type { CommandContext } from '#commands/command-context.js';
import type { NewEvent } from '#event-store/event-store.js';
import { toNewEvents } from '#commands/handle-command.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { addDays } from '#kernel/dates.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { PERSON_KEY_BYTES, sealPersonEvent } from '#resources/people/person/person-seal.js';
import { personAggregate } from '#resources/people/person/person.decider.js';
import { employmentAggregate } from '#resources/people/employment/employment.decider.js';

/** What made-up people refer to. */
export interface Surroundings {
  readonly organisationId: string;
  readonly keyId: string;
  readonly departmentIds: readonly string[];
  readonly workPlaceIds: readonly string[];
  readonly workTypeIds: readonly string[];
}

/** One event with its place. */
export interface PlacedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly event: NewEvent;
  readonly recordedAt: string;
}

/** A made-up person: what the store holds of them. */
export interface MadePerson {
  readonly personId: string;
  readonly workEmail: string;
  readonly key: Buffer;
  /** Employment first, identity last, as a person is created; each stream whole. */
  readonly events: readonly PlacedEvent[];
}

const FIRST_NAMES = ['Ada', 'Bogdan', 'Chiara', 'Dembe', 'Elif', 'Farid', 'Grażyna', 'Hiroshi', 'Ines', 'João'];
const LAST_NAMES = ['Abernathy', 'Bergström', 'Castillo', 'Dubois', 'Eriksen', 'Fitzgerald', 'Grünewald', 'Haddad'];
const TITLES = [
  'Support Specialist',
  'Software Engineer',
  'Senior Software Engineer',
  'Engineering Manager',
  'Accountant',
  'Head of Design',
];
const FIRST_DAY = '2016-01-04';
const FIRST_RECORDED = Date.UTC(2024, 0, 2, 8);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A week of everybody's, until it changes. */
export const FULL_TIME_MINUTES = 2_250;

function pick<T>(from: readonly T[], index: number): T {
  return from[index % from.length]!;
}

/** The id of the made-up person of a number. */
export function madePersonId(mint: IdMint, { organisationId }: Surroundings, index: number): string {
  return mint.person(organisationId, 'bench', String(index));
}

/** How long a made-up person's two streams are. */
export interface Lengths {
  /** Facts of employment, 1 or more. */
  readonly facts: number;
  /** Changes of identity after the creation. */
  readonly changes: number;
}

/** The person of a number, hashed and sealed as the product does it. */
export function makePerson(mint: IdMint, surroundings: Surroundings, index: number, { facts, changes }: Lengths): MadePerson {
  const { organisationId } = surroundings;
  const personId = madePersonId(mint, surroundings, index);
  const key = randomBytes(PERSON_KEY_BYTES);
  const workEmail = `person.${index}@bench.example`;
  const identity = {
    work_email: workEmail,
    first_name: pick(FIRST_NAMES, index),
    preferred_name: null,
    last_name: pick(LAST_NAMES, index >> 3),
    staff_id: `B-${100_000 + index}`,
  };
  const employment = Array.from({ length: facts }, (_, number) => employmentEvent(mint, surroundings, personId, index, number));
  const person = [
    sealPersonEvent({ type: 'PersonCreated', data: { identity } }, key),
    ...Array.from({ length: changes }, (_, number) =>
      sealPersonEvent({ type: 'PersonIdentityChanged', data: { identity: { staff_id: `C-${index}-${number}` } } }, key),
    ),
  ];
  const every =
    (milliseconds: number) =>
    (revision: number): number =>
      FIRST_RECORDED + index * 50 + revision * milliseconds;
  const events = [
    ...place(surroundings, employmentAggregate.streamOf(organisationId, personId), employment, every(DAY)),
    ...place(surroundings, personAggregate.streamOf(organisationId, personId), person, every(HOUR)),
  ];
  return { personId, workEmail, key, events };
}

function employmentEvent(mint: IdMint, surroundings: Surroundings, personId: string, index: number, number: number): DomainEvent {
  const fact_id = mint.prefixed('employmentFact', surroundings.organisationId, personId, String(number));
  const start_date = addDays(FIRST_DAY, (index % 700) + number * 180);
  if (number > 0) return { type: 'EmploymentChanged', data: { fact_id, start_date, terms: changedTerms(surroundings, index, number) } };
  const terms = {
    job_title: pick(TITLES, index),
    department_id: pick(surroundings.departmentIds, index),
    manager_id: index === 0 ? null : madePersonId(mint, surroundings, index >> 3),
    work_place_id: pick(surroundings.workPlaceIds, index),
    work_type_id: pick(surroundings.workTypeIds, index),
    contracted_weekly_minutes: FULL_TIME_MINUTES,
    full_time_weekly_minutes: FULL_TIME_MINUTES,
  };
  return { type: 'EmploymentStarted', data: { fact_id, start_date, terms } };
}

/** Titles, departments and hours change in turn. */
function changedTerms({ departmentIds }: Surroundings, index: number, number: number): Readonly<Record<string, string | number>> {
  if (number % 3 === 1) return { job_title: pick(TITLES, index + number) };
  if (number % 3 === 2) return { department_id: pick(departmentIds, index + number) };
  return { contracted_weekly_minutes: 1_350 + (number % 4) * 225 };
}

/** One request an event; `recordedAt` in milliseconds since 1970, by the event's revision. */
export function place(
  surroundings: Surroundings,
  stream: string,
  events: readonly DomainEvent[],
  recordedAt: (revision: number) => number,
): readonly PlacedEvent[] {
  let previousHash: string | null = null;
  return events.map((event, revision) => {
    const [placed] = toNewEvents(contextOf(surroundings, stream, revision), stream, [event], { previousHash });
    previousHash = placed!.metadata.hash;
    return { stream, revision, event: placed!, recordedAt: new Date(recordedAt(revision)).toISOString() };
  });
}

function contextOf({ organisationId, keyId }: Surroundings, stream: string, revision: number): CommandContext {
  const idempotencyKey = `${stream.slice(-12)}-${revision}-bench-bench`;
  return {
    organisationId,
    actor: { type: 'api_key', id: keyId },
    requestId: `req_bench-bench-bench.${revision}`,
    idempotencyKey,
    fingerprint: '5'.repeat(64),
    seed: [organisationId, 'live', keyId, idempotencyKey],
    today: '2026-01-01',
  };
}
