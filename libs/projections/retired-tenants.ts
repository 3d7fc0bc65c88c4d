import { isSandboxTenant } from '#identifiers/sandbox-tenant.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { Executor } from './projection.js';
import { partsOfStream } from '#kernel/aggregate.js';

/**
 * The former tenants of sandboxes: their rows were deleted, and are not created again. Only tenants recorded
 * as former count; events of a tenant that is being filled, or is not in the table yet, are projected.
 */
export async function retiredTenants(executor: Executor): Promise<ReadonlySet<string>> {
  const { rows } = await executor.query<{ id: string }>(
    'select jsonb_array_elements_text(former_tenants) as id from sandboxes',
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns these events without those of former tenants. Makes no query if none belongs to a sandbox. */
export async function ofPresentTenants(
  executor: Executor,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  if (!events.some(({ stream }) => isOfSandbox(stream))) return events;
  const retired = await retiredTenants(executor);
  return events.filter(({ stream }) => !retired.has(partsOfStream(stream).organisationId));
}

function isOfSandbox(stream: string): boolean {
  return isSandboxTenant(partsOfStream(stream).organisationId);
}
