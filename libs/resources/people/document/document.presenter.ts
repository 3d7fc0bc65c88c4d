import type { DocumentResponse } from './document.contract.js';
import type { DocumentRow } from './document.queries.js';

/** A document as answers show it. */
export function presentDocument(row: DocumentRow): DocumentResponse {
  const { id, name, content_type, byte_size, issued_on, expires_on } = row;
  return {
    id,
    person: { id: row.person_id, display_name: row.person_name },
    name,
    document_type: { id: row.document_type_id, label: row.document_type_label },
    content_type,
    byte_size,
    issued_on,
    expires_on,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
