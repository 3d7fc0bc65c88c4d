import { randomBytes } from 'node:crypto';
import { type DocumentEvent, nameOpener, openDocumentEvent, sealDocumentEvent } from './document.js';

const KEY = randomBytes(32);
const METADATA = {
  name: 'Sick note.pdf',
  document_type_id: 'dt_1',
  content_type: 'application/pdf',
  byte_size: 1,
  issued_on: null,
  expires_on: null,
};
const EVENTS: readonly DocumentEvent[] = [
  { type: 'DocumentRecorded', data: { person_id: 'p1', ...METADATA } },
  { type: 'DocumentChanged', data: { changes: { name: 'Sick note again.pdf', byte_size: 2 } } },
  { type: 'DocumentChanged', data: { changes: { byte_size: 3 } } },
  { type: 'DocumentRemoved', data: {} },
];

describe('the name of a document in an event', () => {
  it.each(EVENTS)('is never unencrypted, and is decrypted with the key: $type', (event) => {
    const sealed = sealDocumentEvent(event, KEY);
    expect(JSON.stringify(sealed)).not.toContain('Sick');
    expect(openDocumentEvent(sealed, nameOpener(KEY))).toEqual(event);
  });

  it('reads [erased] without the key, and the other fields are unchanged', () => {
    expect(openDocumentEvent(sealDocumentEvent(EVENTS[0]!, KEY), nameOpener(null))).toEqual({
      type: 'DocumentRecorded',
      data: { person_id: 'p1', ...METADATA, name: '[erased]' },
    });
  });

  it('cannot be decrypted with another key', () => {
    expect(() => openDocumentEvent(sealDocumentEvent(EVENTS[0]!, KEY), nameOpener(randomBytes(32)))).toThrow();
  });
});
