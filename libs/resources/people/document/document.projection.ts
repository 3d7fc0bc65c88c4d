import type { DomainEvent } from '#kernel/decider.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import { openDocumentEvent } from './document-seal.js';
import { type DocumentState, evolveDocument, initialDocument } from './document.decider.js';

/** Documents, the removed ones included; names as they rest. */
export const documentProjection = oneRowProjection<DocumentState, DomainEvent>({
  table: 'documents',
  category: 'document',
  initial: initialDocument,
  evolve: (state, event) =>
    evolveDocument(
      state,
      openDocumentEvent(event, (sealed) => sealed),
    ),
  columns: ['person_id', 'sealed_name', 'document_type_id', 'content_type', 'byte_size', 'issued_on', 'expires_on', 'removed_at'],
  isMarked: true,
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with the recording of a document`);
    const { name, ...metadata } = state.metadata;
    return {
      ...metadata,
      person_id: state.personId,
      sealed_name: name,
      removed_at: state.status === 'removed' ? stream.at(-1)!.recordedAt : null,
    };
  },
});
