import { isSandboxTenant } from '#identifiers/sandbox-tenant.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { Executor } from './projection.js';
import { partsOfStream } from '#kernel/aggregate.js';

/**
 * The former tenants of sandboxes: their rows were deleted, and are not created again. Only tenants that are recorded as former count;
 * everything is projected for a tenant that is being filled, or that the table does not contain yet.
 */
export async function retiredTenants(executor: Executor): Promise<ReadonlySet<string>> {
  const { rows } = await executor.query<{ id: string }>('select jsonb_array_elements_text(former_tenants) as id from sandboxes');
  return new Set(rows.map(({ id }) => id));
}

/** These streams without those of former tenants. Where none belongs to a sandbox, no query is made. */
export async function withoutRetired(executor: Executor, revisions: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
  if (![...revisions.keys()].some(isOfSandbox)) return revisions;
  const retired = await retiredTenants(executor);
  return new Map([...revisions].filter(([stream]) => !retired.has(partsOfStream(stream).organisationId)));
}

/** The same for events. */
export async function ofPresentTenants(executor: Executor, events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
  const present = await withoutRetired(executor, new Map(events.map(({ stream, revision }) => [stream, revision])));
  return events.filter(({ stream }) => present.has(stream));
}

function isOfSandbox(stream: string): boolean {
  return isSandboxTenant(partsOfStream(stream).organisationId);
}
