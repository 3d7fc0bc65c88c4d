import type { EventStore } from '#event-store/event-store.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Projector } from '#projections/projector.js';
import type { Connections } from '#database/connection-slots.js';

/** The services that commands use. */
export interface CommandServices {
  readonly store: EventStore;
  /** Access to the read tables. */
  readonly executor: Connections;
  readonly projector: Projector;
  readonly mint: IdMint;
}

/** The services of commands that create nothing and so need no new ids. */
export type WritingServices = Omit<CommandServices, 'mint'>;
