import { dictionarySchema } from '../dictionary/dictionary.schema.js';

/** The read table of work places. */
export const WORK_PLACES_SCHEMA = dictionarySchema('work_places');
