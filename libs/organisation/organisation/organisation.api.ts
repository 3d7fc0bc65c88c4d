import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { revisionTag } from '#commands/execute.js';
import { assertMatches, handleCommand } from '#commands/handle-command.js';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { DateTimeField, EnumField, IdField, ObjectField, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { PLANS } from '#kernel/tenancy.js';
import { countryOf } from '../country/countries.js';
import { CountryReference } from '../country/country.api.js';
import {
  decideOrganisation,
  findOrganisation,
  ORGANISATION_ENTITY,
  organisationAggregate,
  type OrganisationCommand,
  organisationProjection,
  type OrganisationRow,
  ORGANISATIONS_SCHEMA,
  PUBLIC_HOLIDAYS_ONLY,
} from './organisation.js';
import { PROFILE, type Profile, publicSubdomain, tenantSubdomain } from './organisation.rules.js';
import { timeZoneSet } from './time-zone-policy.js';

/** The organisation of the key (contract part 2, "Organisation"). */
class OrganisationResponse {
  @IdField('organisation')
  readonly id!: string;
  @TextField({ nullable: true, example: 'Northwind Analytics' })
  readonly name!: string | null;
  @TextField({ nullable: true, description: 'Its DNS label; never changes.', example: 'northwind' })
  readonly subdomain!: string | null;
  @ObjectField(() => CountryReference, { nullable: true })
  readonly country!: CountryReference | null;
  @EnumField(PLANS, {
    description: 'All writes except webhook management need standard or higher.',
    example: 'standard',
  })
  readonly plan!: string;
  @TextField({ format: 'uri', maximumLength: 2_048, nullable: true, example: 'https://northwind.example/logo.svg' })
  readonly logo_url!: string | null;
  @TextField({ nullable: true, description: 'For a light background, #rrggbb.', example: '#1a56db' })
  readonly primary_color_light!: string | null;
  @TextField({ nullable: true, description: 'For a dark background, #rrggbb.', example: '#a4cafe' })
  readonly primary_color_dark!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** The first data of an organisation; the rest of its profile is empty until it is set. */
export interface NewOrganisation extends Pick<Profile, 'name' | 'country_code' | 'plan' | 'time_zone'> {
  readonly subdomain: string;
  readonly approveWrites: boolean;
}

/**
 * The id of the organisation with this subdomain, whether it exists or not. It derives from the subdomain,
 * which never changes, so the stream itself reserves the subdomain on every event store: of two processes
 * that create the same organisation, only one succeeds.
 */
export function organisationIdOf(mint: IdMint, subdomain: string): string {
  return mint.prefixed('organisation', '', 'subdomain', subdomain.toLowerCase());
}

/**
 * Creates an organisation. Throws `RejectedError`: a subdomain that is taken or is not a DNS label, an
 * invalid field.
 */
export async function createOrganisation(
  services: CommandServices,
  context: CommandContext,
  requested: NewOrganisation,
): Promise<OrganisationRow> {
  const { subdomain, approveWrites, ...named } = requested;
  return run(
    services,
    { ...context, organisationId: organisationIdOf(services.mint, subdomain) },
    {
      type: 'create',
      subdomain: subdomain.toLowerCase(),
      isSandbox: false,
      approveWrites,
      profile: completeProfile(named),
    },
  );
}

/**
 * Sets any of the profile's fields of the context's organisation. A new time zone may change the current day:
 * people's rows are as of that day when this resolves. If it fails after the change was recorded, the
 * worker's next run of the effective-date job updates the rows. Throws 412 if the profile has none of the
 * entity tags of `ifMatch`.
 */
export async function setOrganisation(
  services: CommandServices,
  context: CommandContext,
  profile: Partial<Profile>,
  clock: Clock = SYSTEM_CLOCK,
  ifMatch: readonly string[] | null = null,
): Promise<OrganisationRow> {
  const organisation = await run(services, context, { type: 'set', profile: PROFILE.normalise(profile) }, ifMatch);
  if (profile.time_zone !== undefined) await timeZoneSet.apply(services, clock, organisation.id);
  return organisation;
}

/** Approves writes by the API keys of the context's organisation, within their scopes and the plan. */
export async function approveWrites(services: CommandServices, context: CommandContext): Promise<OrganisationRow> {
  return run(services, context, { type: 'approve_writes' });
}

/** Revokes the approval of writes by the API keys of the context's organisation. */
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
    profile: completeProfile(SANDBOX_PROFILE),
  });
}

function run(
  services: CommandServices,
  context: CommandContext,
  command: OrganisationCommand,
  ifMatch: readonly string[] | null = null,
): Promise<OrganisationRow> {
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    await handleCommand(services.store, within, {
      ...organisationAggregate,
      stream: organisationAggregate.streamOf(organisationId, ORGANISATION_ENTITY),
      decide: (state, revision) => {
        if (revision !== null) assertMatches(ifMatch, revisionTag({ revision }));
        return decideOrganisation(command, state);
      },
      onConflict: ifMatch === null ? 'decide_again' : 'refuse',
      part: command.type,
    });
    return async ({ executor }) => {
      const row = await findOrganisation(executor, organisationId);
      if (row === null) throw new Error(`organisation ${organisationId} was recorded and its row is missing`);
      return row;
    };
  });
}

function completeProfile(named: Pick<Profile, 'name' | 'country_code' | 'plan' | 'time_zone'>): Profile {
  return PROFILE.normalise({ ...PROFILE.initial, ...named }) as Profile;
}

export class CreateOrganisation extends Command<OrganisationRow> {
  constructor(
    readonly context: CommandContext,
    readonly organisation: NewOrganisation,
  ) {
    super();
  }
}

/** Sets any of the profile's fields of the context's organisation. */
export class SetOrganisation extends Command<OrganisationRow> {
  constructor(
    readonly context: CommandContext,
    readonly profile: Partial<Profile>,
    readonly ifMatch: readonly string[] | null = null,
  ) {
    super();
  }
}

/** Approves writes by the API keys of the context's organisation, or revokes that approval. */
export class ApproveWrites extends Command<OrganisationRow> {
  constructor(
    readonly context: CommandContext,
    readonly isApproved: boolean,
  ) {
    super();
  }
}

@CommandHandler(CreateOrganisation)
class CreateOrganisationHandler implements ICommandHandler<CreateOrganisation> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, organisation }: CreateOrganisation): Promise<OrganisationRow> {
    return createOrganisation(this.services, context, organisation);
  }
}

@CommandHandler(SetOrganisation)
class SetOrganisationHandler implements ICommandHandler<SetOrganisation> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, profile, ifMatch }: SetOrganisation): Promise<OrganisationRow> {
    return setOrganisation(this.services, context, profile, this.clock, ifMatch);
  }
}

@CommandHandler(ApproveWrites)
class ApproveWritesHandler implements ICommandHandler<ApproveWrites> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, isApproved }: ApproveWrites): Promise<OrganisationRow> {
    return isApproved ? approveWrites(this.services, context) : revokeWrites(this.services, context);
  }
}

@Controller('organisation')
class OrganisationController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly mint: IdMint,
  ) {}

  @Get()
  @Operation({
    operationId: 'getOrganisation',
    people: { of: 'none' },
    summary: 'Read the organisation',
    description:
      'The profile of the organisation that the key acts for. It is set in the product settings, never through the ' +
      'API.',
    tags: ['Organisation'],
    scope: 'organisation:read',
    capability: 'organisation.profile.read',
    response: OrganisationResponse,
  })
  async read(@Receive() call: Call): Promise<Answer> {
    const organisation = found(await findOrganisation(this.pool, call.key.organisation.id));
    const shown = {
      id: this.mint.publicOrganisation(organisation.id),
      subdomain: publicSubdomain(organisation.id, organisation.subdomain),
    };
    return {
      data: { ...organisation, ...shown, country: countryOf(this.mint, organisation.id, organisation.country_code) },
    };
  }
}

/** Organisations: the tenants. */
export const organisationResource = defineResource({
  area: 'organisation',
  aggregates: [organisationAggregate],
  projections: [organisationProjection],
  schema: ORGANISATIONS_SCHEMA,
  migrations: [PUBLIC_HOLIDAYS_ONLY],
  controllers: [OrganisationController],
  handlers: [CreateOrganisationHandler, SetOrganisationHandler, ApproveWritesHandler],
});
