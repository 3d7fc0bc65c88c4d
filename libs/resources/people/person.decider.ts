import { accept, type Decision, type DomainEvent, reject } from '#kernel/decider.js';
import { conflict } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';

/** Who a person is, as far as a command or an event names it. */
export type Identity = {
  readonly work_email?: string;
  readonly first_name?: string | null;
  readonly preferred_name?: string | null;
  readonly last_name?: string | null;
  readonly staff_id?: string | null;
};

/** Everything that is known of who a person is. */
export type WholeIdentity = { readonly [Name in keyof Identity]-?: Exclude<Identity[Name], undefined> };

// These names and fields are the storage format (sealed by `person-seal.ts` where it rests): add new ones, never rename.
export type PersonEvent =
  | DomainEvent<'PersonCreated', { identity: WholeIdentity }>
  | DomainEvent<'PersonIdentityChanged', { identity: Identity }>;

export type PersonState = { readonly status: 'none' } | { readonly status: 'recorded'; readonly identity: WholeIdentity };

export const initialPerson: PersonState = { status: 'none' };

/** The state with one more event. */
export function evolvePerson(state: PersonState, event: PersonEvent): PersonState {
  switch (event.type) {
    case 'PersonCreated':
      return { status: 'recorded', identity: event.data.identity };
    case 'PersonIdentityChanged':
      return state.status === 'none' ? state : { status: 'recorded', identity: { ...state.identity, ...event.data.identity } };
    default:
      return unreachable(event);
  }
}

export type PersonCommand =
  | { readonly type: 'create'; readonly identity: WholeIdentity }
  | { readonly type: 'change'; readonly identity: Identity };

/** What a command records, or why it is refused. A change that changes nothing records nothing. */
export function decidePerson(command: PersonCommand, state: PersonState): Decision<PersonEvent> {
  switch (command.type) {
    case 'create':
      if (state.status !== 'none') return reject(conflict('id', 'a person with this id exists already'));
      return accept({ type: 'PersonCreated', data: { identity: command.identity } });
    case 'change': {
      if (state.status === 'none') return reject({ kind: 'not_found', message: 'there is no such person', details: [] });
      const identity = whatDiffers(command.identity, state.identity);
      return Object.keys(identity).length === 0 ? accept() : accept({ type: 'PersonIdentityChanged', data: { identity } });
    }
    default:
      return unreachable(command);
  }
}

function whatDiffers(named: Identity, current: WholeIdentity): Identity {
  const names = Object.keys(named) as (keyof Identity)[];
  return Object.fromEntries(names.filter((name) => named[name] !== undefined && named[name] !== current[name]).map((name) => [name, named[name]]));
}

/** Preferred or first name, then last name; the e-mail where there is neither (docs/reference/people-and-employment.md). */
export function displayNameOf(identity: WholeIdentity): string {
  const { preferred_name: preferred, first_name: first, last_name: last } = identity;
  const name = [isBlank(preferred) ? first : preferred, last].filter((part) => !isBlank(part)).join(' ');
  return name === '' ? identity.work_email : name;
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}
