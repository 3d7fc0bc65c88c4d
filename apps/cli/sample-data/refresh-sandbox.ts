import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { dateIn } from '#kernel/dates.js';
import type { CommandServices } from '#commands/services.js';
import { purgeSandboxes, whileSandboxesRest } from '#resources/integration/sandbox/purge-sandboxes.js';
import { openSandbox, prepareSandbox } from '#resources/integration/sandbox/sandbox.commands.js';
import { findSandbox, type OpenSandbox } from '#resources/integration/sandbox/sandbox.queries.js';
import { seedSandbox } from './seed-sandbox.js';

/**
 * Puts the sandbox of the context's organisation into its first state, and makes it where there is none: a new tenant is filled while
 * the old one is in use, then test keys act for the new one, then what is kept of the old one is thrown away. A crash at any moment
 * leaves either the old tenant or the new one in use, and leaves the remaining work to the next refresh. Throws `SandboxBusyError`.
 */
export function refreshSandbox(
  services: CommandServices,
  pool: Pool,
  context: CommandContext,
  onPerson: (done: number) => void = () => undefined,
): Promise<OpenSandbox> {
  return whileSandboxesRest(pool, async () => {
    const tenant = await prepareSandbox(services, context);
    const today = dateIn(tenant.time_zone, tenant.created_at);
    await seedSandbox(services, pool, tenant.id, today, onPerson);
    await openSandbox(services, context, tenant.id, today);
    await purgeSandboxes(pool, 'rows');
    return (await findSandbox(pool, context.organisationId))!;
  });
}
