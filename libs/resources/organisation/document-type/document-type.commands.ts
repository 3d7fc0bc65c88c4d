import { dictionaryOf } from '../dictionary/dictionary.commands.js';

/** The document types of organisations. */
export const DOCUMENT_TYPES = dictionaryOf('document_types', 'document-type', 'documentType');
