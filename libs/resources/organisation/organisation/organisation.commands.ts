import type { CommandContext } from '#commands/command-context.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import type { CommandServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import { decideOrganisation, organisationAggregate, type OrganisationCommand } from './organisation.decider.js';
import { ORGANISATION_ENTITY } from './organisation.projection.js';
import { findOrganisation, type OrganisationRow } from './organisation.queries.js';
import { normaliseProfile, type Profile } from './organisation.rules.js';
import { timeZoneSet } from './time-zone-policy.js';
import { tenantSubdomain } from './sandbox-subdomain.js';

const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** The first data of an organisation; the rest of its profile is empty until it is set. */
export interface NewOrganisation extends Pick<Profile, 'name' | 'country_code' | 'plan' | 'time_zone'> {
  readonly subdomain: string;
  readonly approveWrites: boolean;
}

/**
 * The id of the organisation with this subdomain, whether it exists or not. It derives from the subdomain, which never changes, so the
 * stream itself reserves the subdomain on every event store: of two processes that create the same organisation, only one succeeds.
 */
export function organisationIdOf(mint: IdMint, subdomain: string): string {
  return mint.prefixed('organisation', '', 'subdomain', subdomain.toLowerCase());
}

/** Creates an organisation. Throws `RejectedError`: a subdomain that is taken or is not a DNS label, an invalid field. */
export async function createOrganisation(
  services: CommandServices,
  context: CommandContext,
  wanted: NewOrganisation,
): Promise<OrganisationRow> {
  const { subdomain, approveWrites, ...named } = wanted;
  return run(
    services,
    { ...context, organisationId: organisationIdOf(services.mint, subdomain) },
    {
      type: 'create',
      subdomain: subdomain.toLowerCase(),
      isSandbox: false,
      approveWrites,
      profile: wholeProfile(named),
    },
  );
}

/**
 * Sets any of the profile's fields of the context's organisation. A new time zone may change the present day there: people's rows show that
 * day when this resolves. Where it fails after the change was recorded, the worker's next run of the effective-date job updates the rows.
 */
export async function setOrganisation(
  services: CommandServices,
  context: CommandContext,
  profile: Partial<Profile>,
  clock: Clock = SYSTEM_CLOCK,
): Promise<OrganisationRow> {
  const organisation = await run(services, context, { type: 'set', profile: normaliseProfile(profile) });
  if (profile.time_zone !== undefined) await timeZoneSet.apply(services, clock, organisation.id);
  return organisation;
}

/** Approves writes by the API keys of the context's organisation, within their scopes and the plan. */
export async function approveWrites(services: CommandServices, context: CommandContext): Promise<OrganisationRow> {
  return run(services, context, { type: 'approve_writes' });
}

/** Revokes that approval. */
export async function revokeWrites(services: CommandServices, context: CommandContext): Promise<OrganisationRow> {
  return run(services, context, { type: 'revoke_writes' });
}

const SANDBOX_PROFILE = { name: 'Sandbox', country_code: 'GB', plan: 'standard', time_zone: 'Europe/London' } as const;

/** Creates the sandbox tenant that the context names, with writes approved. */
export function createSandboxTenant(services: CommandServices, context: CommandContext): Promise<OrganisationRow> {
  const subdomain = tenantSubdomain(context.organisationId);
  return run(services, context, {
    type: 'create',
    subdomain,
    isSandbox: true,
    approveWrites: true,
    profile: wholeProfile(SANDBOX_PROFILE),
  });
}

function run(services: CommandServices, context: CommandContext, command: OrganisationCommand): Promise<OrganisationRow> {
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    await handleCommand(services.store, within, {
      ...organisationAggregate,
      stream: organisationAggregate.streamOf(organisationId, ORGANISATION_ENTITY),
      decide: (state) => decideOrganisation(command, state),
      onConflict: 'decide_again',
      part: command.type,
    });
    return async ({ executor }) => {
      const row = await findOrganisation(executor, organisationId);
      if (row === null) throw new Error(`organisation ${organisationId} was recorded and its row is missing`);
      return row;
    };
  });
}

function wholeProfile(named: Pick<Profile, 'name' | 'country_code' | 'plan' | 'time_zone'>): Profile {
  return { ...named, ...normaliseProfile(named), logo_url: null, primary_color_light: null, primary_color_dark: null };
}
