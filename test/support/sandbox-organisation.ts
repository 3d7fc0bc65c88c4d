import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import { organisationIdOf } from '#organisation/organisation/organisation.api.js';
import {
  decideOrganisation,
  ORGANISATION_ENTITY,
  organisationAggregate,
} from '#organisation/organisation/organisation.js';
import { SANDBOX_SUBDOMAIN } from '#organisation/organisation/organisation.rules.js';

const PROFILE = {
  name: 'Sandbox',
  country_code: 'GB',
  plan: 'standard',
  time_zone: 'Europe/London',
  logo_url: null,
  primary_color_light: null,
  primary_color_dark: null,
} as const;

/**
 * Makes the organisation that test keys act for whose owner has no sandbox of its own, where it is not there
 * yet.
 */
export async function ensureSandboxOrganisation(services: CommandServices, context: CommandContext): Promise<void> {
  const organisationId = organisationIdOf(services.mint, SANDBOX_SUBDOMAIN);
  const create = {
    type: 'create',
    subdomain: SANDBOX_SUBDOMAIN,
    isSandbox: true,
    approveWrites: true,
    profile: PROFILE,
  } as const;
  await commit(services, { ...context, organisationId }, async (within) => {
    await handleCommand(services.store, within, {
      ...organisationAggregate,
      stream: organisationAggregate.streamOf(organisationId, ORGANISATION_ENTITY),
      decide: (state) => (state.status === 'none' ? decideOrganisation(create, state) : { events: [] }),
      onConflict: 'decide_again',
      part: 'sandbox',
    });
    return () => undefined;
  });
}
