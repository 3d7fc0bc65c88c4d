import type { EventStore } from '#event-store/event-store.js';
import { foldRecorded } from '#kernel/aggregate.js';
import { ledgerAggregate, type LedgerState } from './ledger.decider.js';

/** A person's ledger as it is in the store, whatever was projected of it. */
export async function readLedger(store: EventStore, organisationId: string, personId: string): Promise<LedgerState> {
  const events = await store.readStream(ledgerAggregate.streamOf(organisationId, personId));
  return foldRecorded(ledgerAggregate, events);
}
