import type { EventStore } from '#event-store/event-store.js';
import type { Executor } from '#projections/projection.js';
import { streamsOfPerson } from '../person/streams-of-person.js';

/** The person to purge, and the source of the data. */
export interface Purged {
  readonly executor: Executor;
  readonly store: EventStore;
  readonly organisationId: string;
  readonly personId: string;
}

/**
 * Deletes a person's data from tables that no projection writes: bytes of pictures, the reserved address, the
 * responses of webhook receivers, and the responses that receipts store. A retry of a request whose receipt
 * is deleted finds its events and is refused.
 */
export async function purge(purged: Purged): Promise<void> {
  const { executor, organisationId, personId } = purged;
  await executor.query('delete from avatar_pictures where organisation_id = $1 and person_id = $2', [
    organisationId,
    personId,
  ]);
  await executor.query('delete from work_email_reservations where organisation_id = $1 and person_id = $2', [
    organisationId,
    personId,
  ]);
  // Responses of webhook receivers are encrypted and cannot be searched, so all of the organisation's are
  // deleted.
  await executor.query('delete from webhook_exchanges where organisation_id = $1', [organisationId]);
  await purgeReceiptsThatNameThem(purged);
  await purgeReceiptsOfTheirEvents(purged);
}

/** Encrypted receipts cannot be searched, so all receipts of the organisation are deleted. */
async function purgeReceiptsThatNameThem({ executor, organisationId, personId }: Purged): Promise<void> {
  await executor.query(
    `delete from idempotency_receipts where organisation_id = $1 and (position($2 in body) > 0
      or left(ltrim(body), 1) not in ('{', ''))`,
    [organisationId, JSON.stringify(personId)],
  );
}

/** The actors whose requests have receipts. */
const CALLERS: ReadonlySet<string> = new Set(['api_key', 'user']);

/**
 * A response may concern a person without naming them, as a fact of an employment does. Its events contain
 * its idempotency key.
 */
async function purgeReceiptsOfTheirEvents({ executor, store, organisationId, personId }: Purged): Promise<void> {
  const streams = await store.readStreams(await streamsOfPerson(executor, organisationId, personId));
  const keys = new Map<string, { readonly keyId: string; readonly idempotencyKey: string }>();
  for (const { metadata } of streams.flat()) {
    const { actor, idempotency_key: idempotencyKey } = metadata;
    if (idempotencyKey !== null && CALLERS.has(actor.type))
      keys.set(`${actor.id} ${idempotencyKey}`, { keyId: actor.id, idempotencyKey });
  }
  const found = [...keys.values()];
  await executor.query(
    `delete from idempotency_receipts r using unnest($2::text[], $3::text[]) as recorded(key_id, idempotency_key)
      where r.organisation_id = $1 and r.key_id = recorded.key_id and r.idempotency_key = recorded.idempotency_key`,
    [organisationId, found.map(({ keyId }) => keyId), found.map(({ idempotencyKey }) => idempotencyKey)],
  );
}
