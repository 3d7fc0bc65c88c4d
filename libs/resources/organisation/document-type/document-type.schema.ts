import { dictionarySchema } from '../dictionary/dictionary.schema.js';

/** The read table of document types. */
export const DOCUMENT_TYPES_SCHEMA = dictionarySchema('document_types');
