import { randomBytes } from 'node:crypto';
import type { CommandContext } from '#commands/command-context.js';
import { IdMint } from '#identifiers/id-mint.js';
import { Projector } from '#projections/projector.js';
import type { CommandServices } from '#commands/services.js';
import { PROJECTIONS } from '#composition/registry.js';
import { testEventStore } from './event-store.js';
import type { TestDatabase } from './postgres.js';

const ID_KEY = Buffer.alloc(32, 7);

/**
 * Returns the services of commands over a test's own database: all services of one database create the same
 * ids.
 */
export function testServices(database: TestDatabase): CommandServices {
  return {
    store: testEventStore(database.pool),
    executor: database.pool,
    projector: new Projector(PROJECTIONS, { now: () => new Date() }),
    mint: new IdMint(ID_KEY),
  };
}

/** Returns the context of a new command of an operator. */
export function testContext(organisationId: string): CommandContext {
  return {
    organisationId,
    actor: { type: 'operator', id: 'tester' },
    requestId: null,
    idempotencyKey: null,
    fingerprint: null,
    seed: ['test', randomBytes(16).toString('hex')],
    today: '2026-03-01',
  };
}
