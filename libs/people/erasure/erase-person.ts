import { setTimeout as pause } from 'node:timers/promises';
import type { CommandContext } from '#commands/command-context.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { inTransaction } from '#database/transaction.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { lineProblem } from '#kernel/plain-text.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { lockForRetirement } from '#commands/locks/references.js';
import { erasuresLock } from '#commands/receipts/receipts.js';
import type { Connections } from '#database/connection-slots.js';
import { commit } from '#commands/unit-of-work.js';
import type { CommandServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import { openPersonEvent } from '../person/person-seal.js';
import { decidePerson, evolvePerson, initialPerson, personAggregate, type PersonState } from '../person/person.js';
import { completeErasure, type Erasure, findErasure, noteErasure } from './erasure-list.js';
import { personErased } from './erasure-policy.js';
import { countRunning, destroyFiles } from '#csv-import/import-jobs.js';
import { purge } from './purge.js';

/**
 * The erasure to perform. `requested_at`: the time of the first request, if a list of erasures contains it.
 */
export interface ErasureRequest extends Pick<Erasure, 'person_id' | 'reason'> {
  readonly requested_at?: string;
}

/** An import did not end in time. Repeating the erasure destroys data that it may still write. */
class ImportInProgressError extends Error {
  constructor() {
    super(
      'The key is destroyed, but an import of the organisation has been in progress for too long: run the command ' +
        'again.',
    );
    this.name = 'ImportInProgressError';
  }
}

const TIMEOUT_MILLISECONDS = 60_000;
const POLL_MILLISECONDS = 50;

/**
 * Puts the erasure of a person on the list, durably. Nothing is destroyed yet, so that a caller can first
 * write it to an external list. If `onAllowed` refuses the erasure, nothing is stored. Throws `RejectedError`
 * if there is no such person.
 */
export async function requestErasure(
  { executor, store }: CommandServices,
  context: CommandContext,
  requested: ErasureRequest,
  onAllowed: () => Promise<void> = () => Promise.resolve(),
): Promise<Erasure> {
  const { organisationId, actor } = context;
  const { person_id, reason, requested_at = null } = requested;
  decideErasure(await store.readStream(personAggregate.streamOf(organisationId, person_id)), requested);
  await onAllowed();
  return noteErasure(executor, { organisation_id: organisationId, person_id, reason, actor, requested_at });
}

/**
 * Performs a listed erasure: data encrypted with the person's key can no longer be decrypted, and unencrypted
 * personal data is deleted. Employment, time off and ledgers stay. A crash may follow any step; running the
 * erasure again completes it:
 *
 * 1. `PersonErased` is appended to their stream: the store refuses commands that were decided before it,
 *    reads show `[erased]`, the e-mail address is free;
 * 2. the policies of other contexts remove their data, such as provider mappings, and the key is destroyed
 *    once no request that may have read the person is in progress;
 * 3. the files of the organisation's imports are destroyed, and no run of one continues;
 * 4. their data in tables that no projection writes is purged.
 *
 * Throws {@link ImportInProgressError}.
 */
export async function erasePerson(
  services: CommandServices,
  context: CommandContext,
  erasure: Erasure,
): Promise<Erasure> {
  const { executor, store } = services;
  const { organisationId } = context;
  const { person_id: personId } = erasure;
  const stream = personAggregate.streamOf(organisationId, personId);
  // After this, no reference to the person, such as a mapping, is recorded.
  await commit(services, { ...context, actor: erasure.actor }, async (within) => {
    await lockForRetirement(services, within, { stream, uses: ['provider_mappings', 'users'] });
    await handleCommand<PersonState, DomainEvent>(services.store, within, {
      stream,
      initial: initialPerson,
      evolve: (state, event) => evolvePerson(state, openPersonEvent(event, null)),
      decide: (state) => decidePerson({ type: 'erase', reason: erasure.reason }, state),
      onConflict: 'decide_again',
    });
    return () => undefined;
  });
  await personErased.apply(services, context, personId);
  await destroyKey(executor, organisationId, personId);
  // After the requests in progress, one of which may have uploaded a file.
  await destroyFiles(executor, organisationId);
  await importsEnded(executor, organisationId);
  await purge({ executor, store, organisationId, personId });
  await completeErasure(executor, erasure);
  return (await findErasure(executor, organisationId, personId))!;
}

/**
 * Refuses an unknown person and an invalid reason before the erasure is listed. An erasure that is already
 * listed keeps its reason.
 */
function decideErasure(events: readonly RecordedEvent[], { reason, requested_at: requestedAt }: ErasureRequest): void {
  const problem = reason === null || requestedAt !== undefined ? null : lineProblem(reason);
  if (problem !== null) throw new RejectedError(invalid('reason', problem));
  const state = events.reduce<PersonState>(
    (folded, event) => evolvePerson(folded, openPersonEvent(event, null)),
    initialPerson,
  );
  const decision = decidePerson({ type: 'erase', reason }, state);
  if ('rejection' in decision) throw new RejectedError(decision.rejection);
}

/**
 * The row of the key stays, empty, so that no other key is created. Waits for the organisation's units of
 * work in progress; those that were planned before are planned again, because the response that they store
 * may contain data of the person.
 */
function destroyKey(executor: Connections, organisationId: string, personId: string): Promise<void> {
  return inTransaction(executor, async (connection) => {
    await connection.query("select hold_locks('{}', $1::text[])", [[erasuresLock(organisationId)]]);
    await connection.query('update person_keys set key = null where organisation_id = $1 and person_id = $2', [
      organisationId,
      personId,
    ]);
  });
}

/**
 * Waits until no import is running: its file may contain the person and create them again. The lease of an
 * import ends with its worker.
 */
async function importsEnded(executor: Executor, organisationId: string): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MILLISECONDS;
  while ((await countRunning(executor, organisationId)) > 0) {
    if (Date.now() > deadline) throw new ImportInProgressError();
    await pause(POLL_MILLISECONDS);
  }
}
