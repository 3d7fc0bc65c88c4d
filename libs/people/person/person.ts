import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { ERASED, ERASED_ISSUE } from '#kernel/erasure.js';
import { changesOf, namedFields } from '#kernel/json.js';
import { lineProblem } from '#kernel/plain-text.js';
import { conflict, invalid, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { normaliseOptional } from '#kernel/names.js';

/** All identity fields of a person. */
export type CompleteIdentity = {
  readonly work_email: string;
  readonly first_name: string | null;
  readonly preferred_name: string | null;
  readonly last_name: string | null;
  readonly staff_id: string | null;
};

/** The identity fields of a command or an event. */
export type Identity = Partial<CompleteIdentity>;

/** The fields besides the address, as they are where nothing names them. */
const EMPTY_IDENTITY: Omit<CompleteIdentity, 'work_email'> = {
  first_name: null,
  preferred_name: null,
  last_name: null,
  staff_id: null,
};
const IDENTITY_FIELDS = ['work_email', ...Object.keys(EMPTY_IDENTITY)] as readonly (keyof Identity)[];

/** The identity fields among the named ones. */
export function identityOf(named: Identity): Identity {
  return namedFields(Object.fromEntries(IDENTITY_FIELDS.map((field) => [field, named[field]])));
}

/** The whole identity, from the named fields and, for the others, null. */
export function completeIdentity(named: Identity & Pick<CompleteIdentity, 'work_email'>): CompleteIdentity {
  return { work_email: named.work_email, ...EMPTY_IDENTITY, ...identityOf(named) };
}

/** The identity of an erased person. */
export const ERASED_IDENTITY = completeIdentity({ work_email: ERASED, first_name: ERASED });

// These names and fields are the storage format (identity sealed by `person-seal.ts` where it is stored): add
// new ones, never rename.
export type PersonEvent =
  | DomainEvent<'PersonCreated', { identity: CompleteIdentity }>
  | DomainEvent<'PersonIdentityChanged', { identity: Identity }>
  | DomainEvent<'PersonErased', { reason: string | null }>;

/** An erased person remains, because employment, time off and ledgers refer to them. */
export type PersonState =
  { readonly status: 'none' } | { readonly status: 'recorded' | 'erased'; readonly identity: CompleteIdentity };

export const initialPerson: PersonState = { status: 'none' };

/** The state with one more event. */
export function evolvePerson(state: PersonState, event: PersonEvent): PersonState {
  switch (event.type) {
    case 'PersonCreated':
      // An event of an earlier version lacks the fields that came later.
      return { status: 'recorded', identity: completeIdentity(event.data.identity) };
    case 'PersonIdentityChanged':
      return state.status === 'recorded'
        ? { status: 'recorded', identity: { ...state.identity, ...event.data.identity } }
        : state;
    case 'PersonErased':
      return { status: 'erased', identity: ERASED_IDENTITY };
    default:
      return unreachable(event);
  }
}

export type PersonCommand =
  | { readonly type: 'create'; readonly identity: CompleteIdentity }
  | { readonly type: 'change'; readonly identity: Identity }
  | { readonly type: 'erase'; readonly reason: string | null };

/**
 * The events of a command, or the reason for its refusal. A command without a change records nothing. Names
 * and staff ids are recorded trimmed, with runs of spaces collapsed; blank ones become null.
 */
export function decidePerson(requested: PersonCommand, state: PersonState): Decision<PersonEvent> {
  const command = normalised(requested);
  const rejection = command.type === 'erase' ? null : textRejection(command.identity);
  if (rejection !== null) return reject(rejection);
  switch (command.type) {
    case 'create':
      if (state.status !== 'none') return reject(conflict('id', 'a person with this id exists already'));
      return accept({ type: 'PersonCreated', data: { identity: command.identity } });
    case 'change': {
      if (state.status === 'none') return reject(NO_SUCH_PERSON);
      if (state.status === 'erased') return reject(conflict('person_id', ERASED_ISSUE));
      const identity = changesOf<CompleteIdentity>(command.identity, state.identity);
      return identity === null ? accept() : accept({ type: 'PersonIdentityChanged', data: { identity } });
    }
    case 'erase':
      if (state.status === 'none') return reject(NO_SUCH_PERSON);
      return state.status === 'erased' ? accept() : accept({ type: 'PersonErased', data: { reason: command.reason } });
    default:
      return unreachable(command);
  }
}

function normalised(command: PersonCommand): PersonCommand {
  if (command.type === 'erase') return command;
  const identity = Object.entries(command.identity).map(([field, text]) => [
    field,
    field === 'work_email' || typeof text !== 'string' ? text : normaliseOptional(text),
  ]);
  return { ...command, identity: Object.fromEntries(identity) as CompleteIdentity };
}

/** Refuses the first text with characters that are invalid in a single line. */
function textRejection(identity: Identity): Rejection | null {
  for (const [field, text] of Object.entries(identity)) {
    const problem = typeof text === 'string' ? lineProblem(text) : null;
    if (problem !== null) return invalid(field, problem);
  }
  return null;
}

const NO_SUCH_PERSON: Rejection = { kind: 'not_found', message: 'there is no such person', details: [] };

/**
 * Preferred or first name, then last name; the e-mail address without either
 * (docs/reference/people-and-employment.md).
 */
export function displayNameOf(identity: CompleteIdentity): string {
  const { preferred_name: preferred, first_name: first, last_name: last } = identity;
  const name = [isBlank(preferred) ? first : preferred, last].filter((part) => !isBlank(part)).join(' ');
  return name === '' ? identity.work_email : name;
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

export const personAggregate = defineAggregate({
  category: 'person',
  initial: initialPerson,
  evolve: evolvePerson,
  publishedAs: {
    PersonCreated: ['person.created'],
    PersonIdentityChanged: ['person.updated'],
    PersonErased: ['person.updated'],
  },
});
