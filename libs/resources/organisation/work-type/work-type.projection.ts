import { dictionaryProjection } from '../dictionary/dictionary.projection.js';

/** Work types, the inactive ones included. */
export const workTypeProjection = dictionaryProjection('work_types', 'work-type');
