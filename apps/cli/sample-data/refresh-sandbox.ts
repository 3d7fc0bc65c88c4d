import type { CommandContext } from '#commands/command-context.js';
import { dateIn } from '#kernel/dates.js';
import { purgeSandboxes, withSandboxLock } from '#access/sandbox/purge-sandboxes.js';
import { OpenSandbox, PrepareSandbox } from '#access/sandbox/sandbox.api.js';
import { findSandbox, type OpenSandbox as OpenedSandbox } from '#access/sandbox/sandbox.js';
import { seedSandbox } from './seed-sandbox.js';
import type { Seeding } from './seeding.js';

/**
 * Puts the sandbox of the context's organisation into its first state, and makes it where there is none: a
 * new tenant is filled while the old one is in use, then test keys act for the new one, then what is kept of
 * the old one is thrown away. A crash at any moment leaves either the old tenant or the new one in use, and
 * leaves the remaining work to the next refresh. Throws `SandboxBusyError`.
 */
export function refreshSandbox(
  seeding: Seeding,
  context: CommandContext,
  onPerson: (done: number) => void = () => undefined,
): Promise<OpenedSandbox> {
  const { pool, send } = seeding;
  return withSandboxLock(pool, async () => {
    const tenant = await send(new PrepareSandbox(context));
    const today = dateIn(tenant.time_zone, tenant.created_at);
    await seedSandbox(seeding, tenant.id, today, onPerson);
    await send(new OpenSandbox(context, tenant.id, today));
    await purgeSandboxes(pool, 'rows');
    return (await findSandbox(pool, context.organisationId))!;
  });
}
