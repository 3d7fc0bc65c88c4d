import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { DATABASE_POOL, EVENT_STORE } from './injection-tokens.js';
import { IdMint } from '#identifiers/id-mint.js';
import { Projector } from '#projections/projector.js';
import type { CommandServices } from './services.js';

/** The dependencies of the commands of resources, injected into handlers; the area's module provides them. */
@Injectable()
export class ResourceServices implements CommandServices {
  constructor(
    @Inject(DATABASE_POOL) readonly executor: Pool,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly projector: Projector,
    readonly mint: IdMint,
  ) {}
}
