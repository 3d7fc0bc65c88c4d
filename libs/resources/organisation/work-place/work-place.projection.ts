import { dictionaryProjection } from '../dictionary/dictionary.projection.js';

/** Work places, the inactive ones included. */
export const workPlaceProjection = dictionaryProjection('work_places', 'work-place');
