import { fold } from '#kernel/aggregate.js';
import { decideEntry, type EntryCommand, type EntryEvent, evolveEntry, initialEntry } from './dictionary.js';

const CREATED: EntryEvent = { type: 'DictionaryEntryCreated', data: { label: 'Office' } };
const DEACTIVATED: EntryEvent = { type: 'DictionaryEntryDeactivated', data: {} };

function when(command: EntryCommand, ...given: readonly EntryEvent[]) {
  return decideEntry(command, fold({ initial: initialEntry, evolve: evolveEntry }, given));
}

describe('an entry that does not exist', () => {
  it('is created', () => expect(when({ type: 'create', label: 'Office' })).toEqual({ events: [CREATED] }));

  it('is refused without a label', () => {
    expect(when({ type: 'create', label: '' })).toMatchObject({ rejection: { kind: 'invalid_request' } });
  });

  it('is not found by other commands', () => {
    expect(when({ type: 'deactivate' })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('an entry', () => {
  it('is not created again', () => {
    expect(when({ type: 'create', label: 'Office' }, CREATED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });

  it('is relabelled where the label differs', () => {
    expect(when({ type: 'relabel', label: 'Head office' }, CREATED)).toEqual({
      events: [{ type: 'DictionaryEntryRelabelled', data: { label: 'Head office' } }],
    });
    expect(when({ type: 'relabel', label: 'Office' }, CREATED)).toEqual({ events: [] });
    expect(when({ type: 'relabel', label: '' }, CREATED)).toMatchObject({ rejection: { kind: 'invalid_request' } });
  });

  it('is deactivated and reactivated, each once', () => {
    expect(when({ type: 'deactivate' }, CREATED)).toEqual({ events: [DEACTIVATED] });
    expect(when({ type: 'deactivate' }, CREATED, DEACTIVATED)).toEqual({ events: [] });
    expect(when({ type: 'reactivate' }, CREATED)).toEqual({ events: [] });
    expect(when({ type: 'reactivate' }, CREATED, DEACTIVATED)).toEqual({
      events: [{ type: 'DictionaryEntryReactivated', data: {} }],
    });
  });
});
