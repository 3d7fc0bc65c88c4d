import type { CommandContext } from '#commands/command-context.js';
import { newSandboxTenant } from '#identifiers/sandbox-tenant.js';
import type { LocalDate } from '#kernel/dates.js';
import { type CommandServices, execute } from '#commands/execute.js';
import { createSandboxTenant } from '../../organisation/organisation/organisation.commands.js';
import type { OrganisationRow } from '../../organisation/organisation/organisation.queries.js';
import { decideSandbox, sandboxAggregate, type SandboxCommand } from './sandbox.decider.js';
import { SANDBOX_ENTITY } from './sandbox.projection.js';

/** Makes an empty tenant for the context's organisation, which no key acts for until it is opened. */
export async function prepareSandbox(services: CommandServices, context: CommandContext): Promise<OrganisationRow> {
  const tenantId = newSandboxTenant();
  await run(services, context, { type: 'prepare', tenantId });
  return createSandboxTenant(services, { ...context, organisationId: tenantId });
}

/**
 * From now on sandbox keys of the context's organisation act for this tenant, in every process within a second: one event, so that
 * there is no moment between the old one and the new. Throws where the tenant was not prepared.
 */
export async function openSandbox(
  services: CommandServices,
  context: CommandContext,
  tenantId: string,
  openedOn: LocalDate,
): Promise<void> {
  await run(services, context, { type: 'open', tenantId, openedOn });
}

async function run(services: CommandServices, context: CommandContext, command: SandboxCommand): Promise<void> {
  await execute(services, context, sandboxAggregate, SANDBOX_ENTITY, {
    part: `${command.type} ${command.tenantId}`,
    decide: (state) => decideSandbox(command, state),
  });
}
