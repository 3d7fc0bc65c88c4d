import type { EventStore } from '#event-store/event-store.js';
import { foldRecorded } from '#event-store/fold-recorded.js';
import { evolveLedger, initialLedger, type LedgerEvent, type LedgerState } from './ledger.decider.js';

/** Where a person's adjustments are recorded. */
export function ledgerStream(organisationId: string, personId: string): string {
  return `time-off-balance-${organisationId}.${personId}`;
}

/** A person's ledger as it is in the store, whatever was projected of it. */
export async function readLedger(store: EventStore, organisationId: string, personId: string): Promise<LedgerState> {
  const events = await store.readStream(ledgerStream(organisationId, personId));
  return foldRecorded<LedgerState, LedgerEvent>({ initial: initialLedger, evolve: evolveLedger }, events);
}
