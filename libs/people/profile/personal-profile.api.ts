import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { revisionTag } from '#commands/execute.js';
import { assertMatches, handleCommand } from '#commands/handle-command.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { DateField, DateTimeField, IdField, ObjectField, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import { found } from '#kernel/rejection.js';
import { countryOf } from '#organisation/country/countries.js';
import { CountryReference } from '#organisation/country/country.api.js';
import type { PostalAddress } from '#organisation/country/postal-address.js';
import { requirePersonKey } from '../person/person-keys.js';
import { PersonParameters } from '../person/person-reference.js';
import { withSealedFingerprint } from '../person/person-seal.js';
import {
  decidePersonalProfile,
  evolvePersonalProfile,
  findPersonalProfile,
  initialPersonalProfile,
  NEVER_WRITTEN,
  openProfileEvent,
  PERSONAL_PROFILES_SCHEMA,
  personalProfileAggregate,
  personalProfileProjection,
  type SealedProfileEvent,
  sealProfileEvent,
} from './personal-profile.js';
import { normaliseProfile, type PersonalProfile } from './personal-profile.rules.js';

/** A person's home address. */
class HomeAddressResponse {
  @TextField({ example: '12 Elm Grove' })
  readonly address_line_1!: string;
  @TextField({ nullable: true, example: 'Flat 3' })
  readonly address_line_2!: string | null;
  @TextField({ nullable: true, example: null })
  readonly address_line_3!: string | null;
  @TextField({ example: 'Bristol' })
  readonly city!: string;
  @TextField({ description: 'Empty if the country has none.', example: '' })
  readonly region_state!: string;
  @TextField({ description: 'Empty if the country has none.', example: 'BS6 5AH' })
  readonly postal_code!: string;
  @ObjectField(() => CountryReference)
  readonly country!: CountryReference;
}

/** A person's personal data outside work (contract part 2, "Person personal profile"). */
class PersonalProfileResponse {
  @IdField('person', { description: 'Id of the person.' })
  readonly person_id!: string;
  @TextField({ nullable: true, example: 'Marie Noel' })
  readonly middle_names!: string | null;
  @DateField({ nullable: true, example: '1988-12-10' })
  readonly date_of_birth!: string | null;
  @TextField({ format: 'email', maximumLength: 254, nullable: true, example: 'ada@example.net' })
  readonly personal_email!: string | null;
  @TextField({ nullable: true, example: '+44 7700 900123' })
  readonly personal_phone_number!: string | null;
  @TextField({ nullable: true, example: '+44 117 496 0123 x12' })
  readonly work_phone_number!: string | null;
  @ObjectField(() => HomeAddressResponse, { nullable: true })
  readonly home_address!: HomeAddressResponse | null;
  @DateTimeField({ description: "When the profile was last written; the person's created_at if it never was." })
  readonly updated_at!: string;
}

/**
 * Changes fields of a person's profile; null clears a field, absent fields stay unchanged. Returns the names
 * of the changed fields. Throws `RejectedError`: no such person, erased personal data, an invalid field; and
 * `ExpectationFailedError`.
 */
export function changePersonalProfile(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  changes: Partial<PersonalProfile>,
  ifMatch: readonly string[] | null = null,
): Promise<readonly string[]> {
  const { organisationId, today } = context;
  const tidied = normaliseProfile(changes);
  return commit(services, context, async (within) => {
    const key = await requirePersonKey(services.executor, organisationId, personId);
    const result = await handleCommand<PersonalProfile, SealedProfileEvent>(
      services.store,
      withSealedFingerprint(within, key),
      {
        stream: personalProfileAggregate.streamOf(organisationId, personId),
        initial: initialPersonalProfile,
        evolve: (state, event) => evolvePersonalProfile(state, openProfileEvent(event, key)),
        decide: (state, revision) => {
          assertMatches(ifMatch, revisionTag({ revision: revision ?? NEVER_WRITTEN }));
          const decision = decidePersonalProfile({ type: 'change', changes: tidied, today }, state);
          return 'rejection' in decision
            ? decision
            : { events: decision.events.map((event) => sealProfileEvent(event, key)) };
        },
        onConflict: ifMatch === null ? 'decide_again' : 'refuse',
      },
    );
    return () => (result.outcome === 'unchanged' ? [] : Object.keys(result.events.at(-1)!.data['sealed'] as object));
  });
}

/** Changes fields of a person's profile. The result is the names of the changed fields. */
export class ChangePersonalProfile extends Command<readonly string[]> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly changes: Partial<PersonalProfile>,
    /** The entity tags that the caller expects; null for any version. */
    readonly ifMatch: readonly string[] | null = null,
  ) {
    super();
  }
}

@CommandHandler(ChangePersonalProfile)
class ChangePersonalProfileHandler implements ICommandHandler<ChangePersonalProfile> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, changes, ifMatch }: ChangePersonalProfile): Promise<readonly string[]> {
    return changePersonalProfile(this.services, context, personId, changes, ifMatch);
  }
}

@Controller('people')
class PersonalProfileController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly mint: IdMint,
  ) {}

  @Get(':personId/personal')
  @Operation({
    operationId: 'getPersonalProfile',
    people: { of: 'oneself' },
    summary: "Read a person's personal profile",
    description:
      'Middle names, date of birth, private contact data and home address. A profile that was never written has ' +
      'nulls. Profiles are managed in the product settings, never through the API.',
    tags: ['People'],
    scope: 'people:personal:read',
    capability: 'people.personal.read',
    parameters: PersonParameters,
    response: PersonalProfileResponse,
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const profile = found(
      await findPersonalProfile(this.pool, organisationId, call.parameters.personId, call.sight.reader),
    );
    return { data: { ...profile, home_address: this.presentAddress(organisationId, profile.home_address) } };
  }

  private presentAddress(organisationId: string, address: PostalAddress | null): HomeAddressResponse | null {
    if (address === null) return null;
    const { country_code: code, ...lines } = address;
    return { ...lines, country: countryOf(this.mint, organisationId, code) };
  }
}

/** Personal profiles, encrypted with each person's key. */
export const personalProfileResource = defineResource({
  area: 'people',
  aggregates: [personalProfileAggregate],
  projections: [personalProfileProjection],
  schema: PERSONAL_PROFILES_SCHEMA,
  controllers: [PersonalProfileController],
  handlers: [ChangePersonalProfileHandler],
});
