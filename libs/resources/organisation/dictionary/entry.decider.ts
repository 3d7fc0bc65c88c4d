import { accept, type Decision, type DomainEvent, reject } from '#kernel/aggregate.js';
import { conflict, invalid, notFound } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem } from '../../naming/name-key.js';

// These names and fields are the storage format: add new ones, never rename or remove. Which dictionary an entry belongs
// to follows from its stream's category.
export type EntryEvent =
  | DomainEvent<'DictionaryEntryCreated', { label: string }>
  | DomainEvent<'DictionaryEntryRelabelled', { label: string }>
  | DomainEvent<'DictionaryEntryDeactivated', Record<string, never>>
  | DomainEvent<'DictionaryEntryReactivated', Record<string, never>>;

export type EntryState = { readonly status: 'none' } | { readonly status: 'active' | 'inactive'; readonly label: string };

export const initialEntry: EntryState = { status: 'none' };

/** The state with one more event. */
export function evolveEntry(state: EntryState, event: EntryEvent): EntryState {
  if (event.type === 'DictionaryEntryCreated') return { status: 'active', label: event.data.label };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'DictionaryEntryRelabelled':
      return { ...state, label: event.data.label };
    case 'DictionaryEntryDeactivated':
      return { ...state, status: 'inactive' };
    case 'DictionaryEntryReactivated':
      return { ...state, status: 'active' };
    default:
      return unreachable(event);
  }
}

export type EntryCommand =
  | { readonly type: 'create'; readonly label: string }
  | { readonly type: 'relabel'; readonly label: string }
  | { readonly type: 'deactivate' }
  | { readonly type: 'reactivate' };

/** What a command records, or why it is refused. A command that would not change the state records nothing. */
export function decideEntry(command: EntryCommand, state: EntryState): Decision<EntryEvent> {
  const problem = 'label' in command ? nameProblem(command.label) : null;
  if (problem !== null) return reject(invalid('label', problem));
  if (command.type === 'create') {
    if (state.status !== 'none') return reject(conflict('id', 'an entry with this id exists already'));
    return accept({ type: 'DictionaryEntryCreated', data: { label: command.label } });
  }
  if (state.status === 'none') return reject(notFound('id', 'there is no such entry'));
  switch (command.type) {
    case 'relabel':
      return command.label === state.label ? accept() : accept({ type: 'DictionaryEntryRelabelled', data: { label: command.label } });
    case 'deactivate':
      return state.status === 'inactive' ? accept() : accept({ type: 'DictionaryEntryDeactivated', data: {} });
    case 'reactivate':
      return state.status === 'active' ? accept() : accept({ type: 'DictionaryEntryReactivated', data: {} });
    default:
      return unreachable(command);
  }
}
