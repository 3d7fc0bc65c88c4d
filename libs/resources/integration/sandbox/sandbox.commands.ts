import type { CommandContext } from '#commands/command-context.js';
import { newSandboxTenant } from '#identifiers/sandbox-tenant.js';
import type { LocalDate } from '#kernel/dates.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { createSandboxTenant } from '../../organisation/organisation/organisation.commands.js';
import type { OrganisationRow } from '../../organisation/organisation/organisation.queries.js';
import { decideSandbox, sandboxAggregate, type SandboxCommand } from './sandbox.decider.js';
import { SANDBOX_ENTITY } from './sandbox.projection.js';

/** Creates an empty tenant for the context's organisation; no key acts for it until it is opened. */
export async function prepareSandbox(services: CommandServices, context: CommandContext): Promise<OrganisationRow> {
  const tenantId = newSandboxTenant();
  await run(services, context, { type: 'prepare', tenantId });
  return createSandboxTenant(services, { ...context, organisationId: tenantId });
}

/**
 * Opens a tenant: sandbox keys of the context's organisation act for it in every process within a second. A single event makes the switch
 * from the old tenant to the new one atomic. Throws where the tenant was not prepared.
 */
export async function openSandbox(
  services: CommandServices,
  context: CommandContext,
  tenantId: string,
  openedOn: LocalDate,
): Promise<void> {
  await run(services, context, { type: 'open', tenantId, openedOn });
}

function run(services: CommandServices, context: CommandContext, command: SandboxCommand): Promise<void> {
  return commit(services, context, async (within) => {
    await execute(services, within, sandboxAggregate, SANDBOX_ENTITY, {
      part: `${command.type} ${command.tenantId}`,
      decide: (state) => decideSandbox(command, state),
    });
    return () => undefined;
  });
}
