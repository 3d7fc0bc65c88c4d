import type { Migration } from '#database/migrations.js';
import { bumpAuthorisationVersion, FORGET_AUTHORISATIONS } from '#database/authorisation-version.js';
import { SANDBOX_TENANT_PREFIX } from '#identifiers/sandbox-tenant.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { changesOf } from '#kernel/json.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import type { Executor } from '#projections/projection.js';
import { versionsOf } from '#projections/rule-versions.js';
import { PROFILE, type Profile, SANDBOX_SUBDOMAIN, subdomainProblem, TENANT_SUBDOMAIN } from './organisation.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type OrganisationEvent =
  /** Events recorded while days of the kind `bank` counted as holidays lack `public_holidays_only`. */
  | DomainEvent<
      'OrganisationCreated',
      { subdomain: string; is_sandbox: boolean; profile: Profile; public_holidays_only?: true }
    >
  | DomainEvent<'OrganisationChanged', { profile: Partial<Profile> }>
  | DomainEvent<'OrganisationWritesApproved', Record<string, never>>
  | DomainEvent<'OrganisationWritesRevoked', Record<string, never>>;

export type OrganisationState =
  | { readonly status: 'none' }
  | {
      readonly status: 'created';
      readonly subdomain: string;
      readonly isSandbox: boolean;
      readonly writesApproved: boolean;
      /**
       * Whether only holidays by law have counted since its creation: see `BANK_DAYS_COUNT_BEFORE` in
       * `time-off/settings/holiday-calendar.rules.ts`.
       */
      readonly publicHolidaysOnly: boolean;
      readonly profile: Profile;
    };

export const initialOrganisation: OrganisationState = { status: 'none' };

/** The state with one more event. */
export function evolveOrganisation(state: OrganisationState, event: OrganisationEvent): OrganisationState {
  if (event.type === 'OrganisationCreated') {
    const { subdomain, is_sandbox: isSandbox, public_holidays_only: publicHolidaysOnly = false, profile } = event.data;
    return { status: 'created', subdomain, isSandbox, writesApproved: false, publicHolidaysOnly, profile };
  }
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'OrganisationChanged':
      return { ...state, profile: { ...state.profile, ...event.data.profile } };
    case 'OrganisationWritesApproved':
      return { ...state, writesApproved: true };
    case 'OrganisationWritesRevoked':
      return { ...state, writesApproved: false };
    default:
      return unreachable(event);
  }
}

export type OrganisationCommand =
  | {
      readonly type: 'create';
      readonly subdomain: string;
      readonly isSandbox: boolean;
      readonly approveWrites: boolean;
      readonly profile: Profile;
    }
  | { readonly type: 'set'; readonly profile: Partial<Profile> }
  | { readonly type: 'approve_writes' }
  | { readonly type: 'revoke_writes' };

/**
 * The events of a command, or the reason for its refusal. A command that would not change the state records
 * nothing.
 */
export function decideOrganisation(
  command: OrganisationCommand,
  state: OrganisationState,
): Decision<OrganisationEvent> {
  if (command.type === 'create') return decideCreate(command, state);
  if (state.status === 'none') return reject(notFound('organisation', 'there is no such organisation'));
  switch (command.type) {
    case 'set':
      return decideProfile(command.profile, state.profile);
    case 'approve_writes':
      return state.writesApproved ? accept() : accept({ type: 'OrganisationWritesApproved', data: {} });
    case 'revoke_writes':
      return state.writesApproved ? accept({ type: 'OrganisationWritesRevoked', data: {} }) : accept();
    default:
      return unreachable(command);
  }
}

function decideCreate(
  command: Extract<OrganisationCommand, { type: 'create' }>,
  state: OrganisationState,
): Decision<OrganisationEvent> {
  const { subdomain, isSandbox, profile } = command;
  const rejection =
    subdomainProblem(subdomain) ?? reservedRejection(subdomain, isSandbox) ?? PROFILE.rejection(profile);
  if (rejection !== null) return reject(rejection);
  // The stream's name derives from the subdomain, so an existing organisation in this stream has that
  // subdomain.
  if (state.status !== 'none') return reject(conflict('subdomain', `the subdomain ${subdomain} is taken`));
  const data = { subdomain, is_sandbox: isSandbox, profile, public_holidays_only: true } as const;
  const created: OrganisationEvent = { type: 'OrganisationCreated', data };
  return command.approveWrites
    ? accept<OrganisationEvent>(created, { type: 'OrganisationWritesApproved', data: {} })
    : accept(created);
}

function decideProfile(named: Partial<Profile>, current: Profile): Decision<OrganisationEvent> {
  const rejection = PROFILE.rejection(named);
  if (rejection !== null) return reject(rejection);
  const profile = changesOf(named, current);
  return profile === null ? accept() : accept({ type: 'OrganisationChanged', data: { profile } });
}

function reservedRejection(subdomain: string, isSandbox: boolean): Rejection | null {
  if ((subdomain === SANDBOX_SUBDOMAIN || TENANT_SUBDOMAIN.test(subdomain)) === isSandbox) return null;
  return conflict('subdomain', `the subdomain ${subdomain} is the platform's own`);
}

export const organisationAggregate = defineAggregate({
  category: 'organisation',
  initial: initialOrganisation,
  evolve: evolveOrganisation,
});

/** The read table of organisations. */
export const ORGANISATIONS_SCHEMA = `
create table organisations (
  id text collate "C" primary key,
  revision bigint not null,
  name text not null,
  subdomain text collate "C" not null unique,
  country_code text not null,
  plan text not null,
  time_zone text not null,
  logo_url text,
  primary_color_light text,
  primary_color_dark text,
  writes_approved boolean not null,
  is_sandbox boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Every time zone the organisation has had, oldest first: a moment recorded earlier belongs to the date it had then.
  time_zones jsonb
);
${bumpAuthorisationVersion('organisations')}
`;

/**
 * False for organisations that exist before the migration: days of the kind `bank` count there on past days.
 */
export const PUBLIC_HOLIDAYS_ONLY: Migration = {
  version: 23,
  name: 'organisations whose holidays are those by law',
  sql: 'alter table organisations add column public_holidays_only boolean not null default false;',
};

/** The day of a time in the time zone of an organisation. Throws if there is no such organisation. */
export async function todayOf(executor: Executor, organisationId: string, now: Date): Promise<LocalDate> {
  const { rows } = await executor.query<{ day: LocalDate }>({
    name: 'today-of-organisation',
    text: 'select ($2::timestamptz at time zone time_zone)::date as day from organisations where id = $1',
    values: [organisationId, now],
  });
  return rows[0]!.day;
}

/** The stream of an organisation: `organisation-{organisation}.profile`. */
export const ORGANISATION_ENTITY = 'profile';

const KEYS: RowKeys = {
  primaryKey: ['id'],
  others: [],
  values: (organisationId) => ({ id: organisationId }),
  streamKey: `id || '.${ORGANISATION_ENTITY}'`,
};

/** The aggregate with the part of its state that is versioned: the time zone. */
const TIME_ZONES = {
  ...organisationAggregate,
  rules: (state: OrganisationState) => (state.status === 'none' ? null : { time_zone: state.profile.time_zone }),
};

/** Current organisations. */
export const organisationProjection = oneRowProjection(organisationAggregate, {
  afterRebuild: FORGET_AUTHORISATIONS,
  table: 'organisations',
  keys: KEYS,
  isUniqueTwice: true,
  columns: [
    ...Object.keys(PROFILE.columns),
    'subdomain',
    'writes_approved',
    'is_sandbox',
    'time_zones',
    'public_holidays_only',
  ],
  lists: ['time_zones'],
  row: (state, stream) => {
    return {
      ...state.profile,
      subdomain: state.subdomain,
      writes_approved: state.writesApproved,
      is_sandbox: state.isSandbox,
      time_zones: versionsOf(TIME_ZONES, stream),
      public_holidays_only: state.publicHolidaysOnly,
    };
  },
});

/** A row of `organisations`. */
export interface OrganisationRow extends Profile {
  readonly id: string;
  readonly revision: number;
  readonly subdomain: string;
  readonly writes_approved: boolean;
  readonly is_sandbox: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = `id, revision, subdomain, ${Object.keys(PROFILE.columns).join(', ')}, writes_approved, is_sandbox, created_at,
  updated_at`;

/**
 * The organisation with this id or subdomain; null if there is none. No subdomain has the form of an id.
 */
export async function findOrganisation(executor: Executor, idOrSubdomain: string): Promise<OrganisationRow | null> {
  const { rows } = await executor.query<OrganisationRow>({
    name: 'find-organisation',
    text: `select ${COLUMNS} from organisations where id = $1 or subdomain = lower($1)`,
    values: [idOrSubdomain],
  });
  return rows[0] ?? null;
}

/**
 * All organisations of the installation by subdomain, including the platform's own, without sandbox tenants.
 */
export async function listOrganisations(executor: Executor): Promise<readonly OrganisationRow[]> {
  const { rows } = await executor.query<OrganisationRow>(
    `select ${COLUMNS} from organisations where not starts_with(id, '${SANDBOX_TENANT_PREFIX}') order by subdomain`,
  );
  return rows;
}
