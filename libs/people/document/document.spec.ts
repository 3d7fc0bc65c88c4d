import { fold } from '#kernel/aggregate.js';
import {
  decideDocument,
  type DocumentCommand,
  type DocumentEvent,
  type DocumentMetadata,
  evolveDocument,
  initialDocument,
} from './document.js';

const METADATA: DocumentMetadata = {
  name: 'Sick note.pdf',
  document_type_id: 'dt_1',
  content_type: 'application/pdf',
  byte_size: 1_024,
  issued_on: '2026-01-31',
  expires_on: null,
};
const RECORDED: DocumentEvent = { type: 'DocumentRecorded', data: { person_id: 'p1', ...METADATA } };
const REMOVED: DocumentEvent = { type: 'DocumentRemoved', data: {} };
const RECORD: DocumentCommand = { type: 'record', personId: 'p1', metadata: METADATA };

function when(command: DocumentCommand, ...given: readonly DocumentEvent[]) {
  return decideDocument(command, fold({ initial: initialDocument, evolve: evolveDocument }, given));
}

describe('a document that does not exist', () => {
  it('is recorded', () => expect(when(RECORD)).toEqual({ events: [RECORDED] }));

  it.each<Partial<DocumentMetadata>>([
    { name: '' },
    { name: 'x'.repeat(201) },
    { name: 'a\u0000b' },
    { content_type: 'pdf' },
    { content_type: 'application/pdf; charset=utf-8' },
    { content_type: 'Application/PDF' },
    { byte_size: -1 },
    { byte_size: 1.5 },
    { byte_size: Number.NaN },
    { byte_size: 2 ** 53 },
    { issued_on: '2026-02-30' },
    { issued_on: '1899-12-31' },
    { expires_on: 'tomorrow' },
    { expires_on: '2026-01-30' },
  ])('may not have %j', (fields) => {
    const [field] = Object.keys(fields);
    expect(when({ type: 'record', personId: 'p1', metadata: { ...METADATA, ...fields } })).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field }] },
    });
  });

  it('may hold for one day, have no bytes, and no dates', () => {
    for (const fields of [{ expires_on: '2026-01-31' }, { byte_size: 0 }, { issued_on: null }]) {
      expect(when({ type: 'record', personId: 'p1', metadata: { ...METADATA, ...fields } })).toHaveProperty('events');
    }
  });

  it('is not found by other commands', () => {
    expect(when({ type: 'remove' })).toMatchObject({ rejection: { kind: 'not_found' } });
    expect(when({ type: 'change', changes: { name: 'x' } })).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('a document', () => {
  it('is not recorded again', () => expect(when(RECORD, RECORDED)).toMatchObject({ rejection: { kind: 'conflict' } }));

  it('records only what changes', () => {
    expect(
      when({ type: 'change', changes: { name: 'Sick note.pdf', byte_size: 2, issued_on: null } }, RECORDED),
    ).toEqual({ events: [{ type: 'DocumentChanged', data: { changes: { byte_size: 2, issued_on: null } } }] });
    expect(when({ type: 'change', changes: { name: 'Sick note.pdf', expires_on: null } }, RECORDED)).toEqual({
      events: [],
    });
  });

  it('never expires before it was issued, whichever of both is changed', () => {
    expect(when({ type: 'change', changes: { expires_on: '2026-01-30' } }, RECORDED)).toMatchObject({
      rejection: { kind: 'conflict', details: [{ field: 'expires_on' }] },
    });
    const expiring: DocumentEvent = { type: 'DocumentChanged', data: { changes: { expires_on: '2026-06-30' } } };
    expect(when({ type: 'change', changes: { issued_on: '2026-07-01' } }, RECORDED, expiring)).toMatchObject({
      rejection: { kind: 'conflict' },
    });
    expect(
      when({ type: 'change', changes: { issued_on: '2026-07-01', expires_on: '2026-07-01' } }, RECORDED, expiring),
    ).toHaveProperty('events');
  });

  it('is refused values that are not valid, all at once', () => {
    expect(when({ type: 'change', changes: { name: ' '.trim(), byte_size: -1 } }, RECORDED)).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field: 'name' }, { field: 'byte_size' }] },
    });
  });
});

describe('a document that was removed', () => {
  it('is removed once', () => expect(when({ type: 'remove' }, RECORDED)).toEqual({ events: [REMOVED] }));

  it.each<DocumentCommand>([{ type: 'remove' }, { type: 'change', changes: { name: 'x' } }])(
    'is not found by %j',
    (command) => {
      expect(when(command, RECORDED, REMOVED)).toMatchObject({ rejection: { kind: 'not_found' } });
    },
  );

  it('is not recorded again', () => {
    expect(when(RECORD, RECORDED, REMOVED)).toMatchObject({ rejection: { kind: 'conflict' } });
  });
});
