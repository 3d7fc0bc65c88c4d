import { ERASED } from '#kernel/erasure.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import type { JsonObject } from '#kernel/json.js';
import { openJson, sealJson } from '../person/person-seal.js';
import type { DocumentEvent } from './document.decider.js';

/** Decrypts a document's name. */
export type NameOpener = (sealed: string) => string;

/** An event as it is stored: the document's name is encrypted with the key of its person. */
export function sealDocumentEvent(event: DocumentEvent, key: Buffer): DomainEvent {
  const seal = ({ name, ...rest }: JsonObject): JsonObject => (name === undefined ? rest : { ...rest, sealed_name: sealJson(name, key) });
  switch (event.type) {
    case 'DocumentRecorded':
      return { type: event.type, data: seal(event.data) };
    case 'DocumentChanged':
      return { type: event.type, data: { changes: seal(event.data.changes) } };
    case 'DocumentRemoved':
      return event;
  }
}

/** The event as the decider takes it. */
export function openDocumentEvent({ type, data }: DomainEvent, open: NameOpener): DocumentEvent {
  const named = ({ sealed_name: sealed, ...rest }: JsonObject): JsonObject =>
    sealed === undefined ? rest : { ...rest, name: open(sealed as string) };
  const opened = type === 'DocumentChanged' ? { changes: named(data['changes'] as JsonObject) } : named(data);
  return { type, data: opened } as DocumentEvent;
}

/** Decrypts names with a person's key; without the key, after erasure, they read `[erased]`. */
export function nameOpener(key: Buffer | null): NameOpener {
  return (sealed) => (key === null ? ERASED : (openJson(sealed, key) as string));
}
