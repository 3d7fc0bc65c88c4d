import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { type Profile, profileProblem, SANDBOX_SUBDOMAIN, subdomainProblem, TENANT_SUBDOMAIN } from './organisation.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type OrganisationEvent =
  /** Events that were recorded before bank holidays stopped counting lack `public_holidays_only`. */
  | DomainEvent<'OrganisationCreated', { subdomain: string; is_sandbox: boolean; profile: Profile; public_holidays_only?: true }>
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
      /** Whether only holidays by law ever counted in it: see `BANK_DAYS_COUNT_BEFORE` in `time-off/settings/holiday-calendar.rules.ts`. */
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

/** What a command records, or why it is refused. A command that would not change the state records nothing. */
export function decideOrganisation(command: OrganisationCommand, state: OrganisationState): Decision<OrganisationEvent> {
  if (command.type === 'create') return decideCreation(command, state);
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

function decideCreation(command: Extract<OrganisationCommand, { type: 'create' }>, state: OrganisationState): Decision<OrganisationEvent> {
  const { subdomain, isSandbox, profile } = command;
  const rejection = subdomainProblem(subdomain) ?? reservedRejection(subdomain, isSandbox) ?? profileProblem(profile);
  if (rejection !== null) return reject(rejection);
  // The stream's name derives from the subdomain, so an existing organisation in this stream has that subdomain.
  if (state.status !== 'none') return reject(conflict('subdomain', `the subdomain ${subdomain} is taken`));
  const data = { subdomain, is_sandbox: isSandbox, profile, public_holidays_only: true } as const;
  const created: OrganisationEvent = { type: 'OrganisationCreated', data };
  return command.approveWrites ? accept<OrganisationEvent>(created, { type: 'OrganisationWritesApproved', data: {} }) : accept(created);
}

function decideProfile(named: Partial<Profile>, current: Profile): Decision<OrganisationEvent> {
  const rejection = profileProblem(named);
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
