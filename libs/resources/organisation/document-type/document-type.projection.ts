import { dictionaryProjection } from '../dictionary/dictionary.projection.js';

/** Document types, the inactive ones included. */
export const documentTypeProjection = dictionaryProjection('document_types', 'document-type');
