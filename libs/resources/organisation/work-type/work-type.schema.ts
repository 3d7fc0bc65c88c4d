import { dictionarySchema } from '../dictionary/dictionary.schema.js';

/** The read table of work types. */
export const WORK_TYPES_SCHEMA = dictionarySchema('work_types');
