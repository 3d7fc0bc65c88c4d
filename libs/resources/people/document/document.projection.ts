import type { DomainEvent } from '#kernel/aggregate.js';
import { oneRowProjection, type Projectable } from '#projections/one-row-table.js';
import { openDocumentEvent } from './document-seal.js';
import { documentAggregate, type DocumentState } from './document.decider.js';

/** The aggregate with names as they are stored: encrypted. */
const SEALED: Projectable<DocumentState, DomainEvent> = {
  category: documentAggregate.category,
  initial: documentAggregate.initial,
  evolve: (state, event) =>
    documentAggregate.evolve(
      state,
      openDocumentEvent(event, (sealed) => sealed),
    ),
};

/** Documents, the removed ones included; names as they are stored. */
export const documentProjection = oneRowProjection(SEALED, {
  table: 'documents',
  columns: ['person_id', 'sealed_name', 'document_type_id', 'content_type', 'byte_size', 'issued_on', 'expires_on', 'removed_at'],
  isMarked: true,
  row: (state, stream) => {
    const { name, ...metadata } = state.metadata;
    return {
      ...metadata,
      person_id: state.personId,
      sealed_name: name,
      removed_at: state.status === 'removed' ? stream.at(-1)!.recordedAt : null,
    };
  },
});
