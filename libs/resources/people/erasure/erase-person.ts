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
import { purge } from './purge.js';

/** What is to be erased, by whose word. `requested_at`: when it was asked for first, where a list of erasures says it. */
export interface WantedErasure extends Pick<Erasure, 'person_id' | 'reason'> {
  readonly requested_at?: string;
}

/** How an erasure is done. */
export interface ErasureOptions {
  /** Called for the erasure when it is on the list and nothing is destroyed yet: a caller that keeps a list elsewhere writes it here. */
  readonly onNoted?: (erasure: Erasure) => Promise<void>;
  /** How long requests that were in progress are waited for, in milliseconds; a minute where not given. */
  readonly timeoutMilliseconds?: number;
}

/** Requests that were in progress did not end in time; what they may yet store is purged when the erasure is done again. */
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
 * Erases a person: what only their key decrypts can no longer be decrypted, and what was stored unencrypted is gone. Employment, time off
 * and ledgers stay. Each step may be the last before a crash, and doing it again finishes it:
 *
 * 1. the erasure goes on the list, durably;
 * 2. `PersonErased` goes into their stream, which marks them as erased: commands that were decided before it are refused
 *    by the store, reads show `[erased]`, the e-mail address is free;
 * 3. what providers call them, and what is theirs, is removed; the key is destroyed;
 * 4. once requests have ended that were in progress and may still have seen them, what is stored of them in tables that no projection makes is purged.
 *
 * Throws `RejectedError`: no such person; and {@link RequestsInFlightError}.
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
  const erasure = await noteErasure(executor, {
    organisation_id: organisationId,
    person_id: personId,
    reason,
    actor: context.actor,
    requested_at,
  });
  await options.onNoted?.(erasure);
  // No reference to the person, such as a mapping, is recorded after that.
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
  await requestsEnded(executor, organisationId, options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS);
  await purge({ executor, store, organisationId, personId });
  await completeErasure(executor, erasure);
  return (await findErasure(executor, organisationId, personId))!;
}

/** Refuses what is no person, and a reason that is no text, before anything is noted. What is on a list of erasures keeps its reason as it is. */
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
 * Waits until no request of the organisation runs that began before: what it read may be in the answer that it stores. A claim of a process
 * that is gone stores nothing any more; the process that takes it over starts again.
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

/** A claim runs for as long as the process that holds it has its lock, in this database. */
const RUNNING = `select from idempotency_receipts r
  where r.organisation_id = $1 and r.request_id = any($2::text[]) and r.status is null
    and exists (select from pg_locks l where l.locktype = 'advisory' and l.classid = $3 and l.objid = r.holder and l.objsubid = 2
                   and l.database = (select oid from pg_database where datname = current_database()))
  limit 1`;
