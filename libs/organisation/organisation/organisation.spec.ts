import { fold } from '#kernel/aggregate.js';
import {
  decideOrganisation,
  evolveOrganisation,
  initialOrganisation,
  type OrganisationCommand,
  type OrganisationEvent,
} from './organisation.js';
import type { Profile } from './organisation.rules.js';

const PROFILE: Profile = {
  name: 'Acme',
  country_code: 'GB',
  plan: 'standard',
  time_zone: 'Europe/London',
  logo_url: null,
  primary_color_light: null,
  primary_color_dark: null,
};
const CREATED: OrganisationEvent = {
  type: 'OrganisationCreated',
  data: { subdomain: 'acme', is_sandbox: false, profile: PROFILE, public_holidays_only: true },
};
const APPROVED: OrganisationEvent = { type: 'OrganisationWritesApproved', data: {} };
const REVOKED: OrganisationEvent = { type: 'OrganisationWritesRevoked', data: {} };

function when(command: OrganisationCommand, ...given: readonly OrganisationEvent[]) {
  return decideOrganisation(command, fold({ initial: initialOrganisation, evolve: evolveOrganisation }, given));
}

function create(
  changes: { subdomain?: string; isSandbox?: boolean; approveWrites?: boolean; profile?: Partial<Profile> } = {},
): OrganisationCommand {
  const { profile, ...others } = changes;
  return {
    type: 'create',
    subdomain: 'acme',
    isSandbox: false,
    approveWrites: false,
    ...others,
    profile: { ...PROFILE, ...profile },
  };
}

describe('an organisation that does not exist', () => {
  it('is created', () => expect(when(create())).toEqual({ events: [CREATED] }));

  it('is created with writes approved where that is asked for', () => {
    expect(when(create({ approveWrites: true }))).toEqual({ events: [CREATED, APPROVED] });
  });

  it.each(['', '-acme', 'acme-', 'Acme', 'a.b', 'a_b', 'a'.repeat(64), 'acmé', 'acme\n'])(
    'may not have the subdomain %j',
    (subdomain) => {
      expect(when(create({ subdomain }))).toMatchObject({
        rejection: { kind: 'invalid_request', details: [{ field: 'subdomain' }] },
      });
    },
  );

  it.each(['a', '9', 'a--b', 'a'.repeat(63)])('may have the subdomain %j', (subdomain) => {
    expect(when(create({ subdomain }))).toMatchObject({ events: [{ data: { subdomain } }] });
  });

  it('may have the subdomain of the sandbox only as the sandbox', () => {
    expect(when(create({ subdomain: 'sandbox' }))).toMatchObject({ rejection: { kind: 'conflict' } });
    expect(when(create({ isSandbox: true }))).toMatchObject({ rejection: { kind: 'conflict' } });
    expect(when(create({ subdomain: 'sandbox', isSandbox: true }))).toMatchObject({
      events: [{ data: { is_sandbox: true } }],
    });
  });

  it.each<Partial<Profile>>([
    { name: '' },
    { name: 'a'.repeat(201) },
    { name: 'a\u0000b' },
    { country_code: 'UK' },
    { country_code: 'gb' },
    { country_code: 'XX' },
    { plan: 'free' as Profile['plan'] },
    { time_zone: 'Mars/Olympus' },
    { time_zone: '+01:00' },
    { time_zone: '' },
    { logo_url: 'http://acme.example/logo.png' },
    { logo_url: 'logo' },
    { primary_color_light: 'red' },
    { primary_color_dark: '#12345' },
  ])('may not have %j', (profile) => {
    const [field] = Object.keys(profile);
    expect(when(create({ profile }))).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it('has nothing to set or to approve', () => {
    expect(when({ type: 'set', profile: { name: 'Other' } })).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'approve_writes' })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('an organisation', () => {
  it('keeps its subdomain from another one', () => {
    expect(when(create(), CREATED)).toMatchObject({
      rejection: { kind: 'conflict', message: 'the subdomain acme is taken' },
    });
  });

  it('records only what is set to another value', () => {
    const profile = { name: 'Acme', plan: 'enterprise', logo_url: 'https://acme.example/logo.png' } as const;
    const changed = { plan: 'enterprise', logo_url: 'https://acme.example/logo.png' };
    expect(when({ type: 'set', profile }, CREATED)).toEqual({
      events: [{ type: 'OrganisationChanged', data: { profile: changed } }],
    });
  });

  it('records nothing where the same is set again', () => {
    expect(when({ type: 'set', profile: PROFILE }, CREATED)).toEqual({ events: [] });
  });

  it('may not be set to what is not valid', () => {
    expect(when({ type: 'set', profile: { time_zone: 'Nowhere' } }, CREATED)).toMatchObject({
      rejection: { details: [{ field: 'time_zone' }] },
    });
  });

  it('has its writes approved and revoked, each once', () => {
    expect(when({ type: 'approve_writes' }, CREATED)).toEqual({ events: [APPROVED] });
    expect(when({ type: 'approve_writes' }, CREATED, APPROVED)).toEqual({ events: [] });
    expect(when({ type: 'revoke_writes' }, CREATED)).toEqual({ events: [] });
    expect(when({ type: 'revoke_writes' }, CREATED, APPROVED)).toEqual({ events: [REVOKED] });
    expect(when({ type: 'revoke_writes' }, CREATED, APPROVED, REVOKED)).toEqual({ events: [] });
  });
});
