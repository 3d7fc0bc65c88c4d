import { setTimeout as pause } from 'node:timers/promises';
import type { CommandContext } from '#commands/command-context.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { PROCESS_LOCK_CLASS } from '#commands/receipts/receipts.sql.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { lineProblem } from '#kernel/plain-text.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { whileRetiring } from '#commands/locks/references.js';
import { type CommandServices, runCommand } from '#commands/execute.js';
import { removeMappingsOfPerson } from '../../integration/provider-mapping/mappings-of-person.js';
import { openPersonEvent } from '../person/person-seal.js';
import { decidePerson, evolvePerson, initialPerson, personAggregate, type PersonState } from '../person/person.decider.js';
import { completeErasure, type Erasure, findErasure, noteErasure } from './erasure-list.js';
import { countRunning, destroyFiles } from '../../importing/jobs/import-jobs.js';
import { purge } from './purge.js';

/** The erasure to perform. `requested_at`: the time of the first request, where a list of erasures contains it. */
export interface WantedErasure extends Pick<Erasure, 'person_id' | 'reason'> {
  readonly requested_at?: string;
}

/** Options of an erasure. */
export interface ErasureOptions {
  /** Called before the erasure goes on the list: an erasure that it refuses leaves nothing behind. */
  readonly onAllowed?: () => Promise<void>;
  /** Called when the erasure is on the list and nothing is destroyed yet: a caller that keeps a list elsewhere writes to it here. */
  readonly onNoted?: (erasure: Erasure) => Promise<void>;
  /** How long to wait for requests in progress, in milliseconds; a minute by default. */
  readonly timeoutMilliseconds?: number;
}

/** Requests in progress did not end in time. Repeating the erasure purges what they may still store. */
export class RequestsInFlightError extends Error {
  constructor() {
    super(
      'The key is destroyed, but requests of the organisation have been in progress for too long to see whether they store an answer: give the command again.',
    );
    this.name = 'RequestsInFlightError';
  }
}

const TIMEOUT_MILLISECONDS = 60_000;
const POLL_MILLISECONDS = 50;

/**
 * Erases a person: data encrypted with their key can no longer be decrypted, and unencrypted personal data is deleted. Employment, time off
 * and ledgers stay. A crash may follow any step; running the erasure again completes it:
 *
 * 1. the erasure goes on the list, durably;
 * 2. `PersonErased` is appended to their stream: the store refuses commands that were decided before it, reads show `[erased]`, the e-mail
 *    address is free;
 * 3. the provider mappings of the person and of their resources are removed, and the key is destroyed;
 * 4. when all requests that were in progress and may have read the person have ended, the files of the organisation's imports are destroyed,
 *    and no run of one goes on;
 * 5. their data in tables that no projection writes is purged.
 *
 * Throws `RejectedError` where there is no such person, and {@link RequestsInFlightError}.
 */
export async function erasePerson(
  services: CommandServices,
  context: CommandContext,
  wanted: WantedErasure,
  options: ErasureOptions = {},
): Promise<Erasure> {
  const { executor, store } = services;
  const { organisationId } = context;
  const { person_id: personId, reason, requested_at = null } = wanted;
  const stream = personAggregate.streamOf(organisationId, personId);
  decideErasure(await store.readStream(stream), wanted);
  await options.onAllowed?.();
  const erasure = await noteErasure(executor, {
    organisation_id: organisationId,
    person_id: personId,
    reason,
    actor: context.actor,
    requested_at,
  });
  await options.onNoted?.(erasure);
  // No reference to the person, such as a mapping, is recorded after this.
  await whileRetiring(services, context, { stream, uses: ['provider_mappings'] }, async (alone) => {
    await runCommand<PersonState, DomainEvent>(
      services,
      { ...alone, actor: erasure.actor },
      {
        stream,
        initial: initialPerson,
        evolve: (state, event) => evolvePerson(state, openPersonEvent(event, null)),
        decide: (state) => decidePerson({ type: 'erase', reason: erasure.reason }, state),
        onConflict: 'decide_again',
      },
    );
    await removeMappingsOfPerson(services, alone, personId);
  });
  await destroyKey(executor, organisationId, personId);
  const timeoutMilliseconds = options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS;
  await requestsEnded(executor, organisationId, timeoutMilliseconds);
  // After the requests, one of which may have brought a file.
  await destroyFiles(executor, organisationId);
  await importsEnded(executor, organisationId, timeoutMilliseconds);
  await purge({ executor, store, organisationId, personId });
  await completeErasure(executor, erasure);
  return (await findErasure(executor, organisationId, personId))!;
}

/**
 * Refuses an unknown person and an invalid reason before the erasure goes on the list. An erasure that is on a list already keeps its
 * reason.
 */
function decideErasure(events: readonly RecordedEvent[], { reason, requested_at: requestedAt }: WantedErasure): void {
  const problem = reason === null || requestedAt !== undefined ? null : lineProblem(reason);
  if (problem !== null) throw new RejectedError(invalid('reason', problem));
  const state = events.reduce<PersonState>((folded, event) => evolvePerson(folded, openPersonEvent(event, null)), initialPerson);
  const decision = decidePerson({ type: 'erase', reason }, state);
  if ('rejection' in decision) throw new RejectedError(decision.rejection);
}

/** The row of the key stays, empty, so that no other one is made. */
async function destroyKey(executor: Executor, organisationId: string, personId: string): Promise<void> {
  await executor.query('update person_keys set key = null where organisation_id = $1 and person_id = $2', [organisationId, personId]);
}

/**
 * Waits until every request of the organisation that began before has ended, because what it read may be in the response that it stores. A
 * claim of a process that has ended stores nothing any more; the process that takes it over starts again.
 */
async function requestsEnded(executor: Executor, organisationId: string, timeoutMilliseconds: number): Promise<void> {
  const { rows } = await executor.query<{ request_id: string }>(
    'select request_id from idempotency_receipts where organisation_id = $1 and status is null',
    [organisationId],
  );
  const inFlight = rows.map((row) => row.request_id);
  const deadline = Date.now() + timeoutMilliseconds;
  while (inFlight.length > 0) {
    const { rowCount } = await executor.query(RUNNING, [organisationId, inFlight, PROCESS_LOCK_CLASS]);
    if (rowCount === 0) return;
    if (Date.now() > deadline) throw new RequestsInFlightError();
    await pause(POLL_MILLISECONDS);
  }
}

/** Waits until no import goes on with a file that named the person, and would make them again. Its lease ends with its worker. */
async function importsEnded(executor: Executor, organisationId: string, timeoutMilliseconds: number): Promise<void> {
  const deadline = Date.now() + timeoutMilliseconds;
  while ((await countRunning(executor, organisationId)) > 0) {
    if (Date.now() > deadline) throw new RequestsInFlightError();
    await pause(POLL_MILLISECONDS);
  }
}

/** A claim is running as long as its process holds its lock in this database. */
const RUNNING = `select from idempotency_receipts r
  where r.organisation_id = $1 and r.request_id = any($2::text[]) and r.status is null
    and exists (select from pg_locks l where l.locktype = 'advisory' and l.classid = $3 and l.objid = r.holder and l.objsubid = 2
                   and l.database = (select oid from pg_database where datname = current_database()))
  limit 1`;
