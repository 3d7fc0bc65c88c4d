import { dictionaryOf } from '../dictionary/dictionary.commands.js';

/** The work places of organisations. */
export const WORK_PLACES = dictionaryOf('work_places', 'work-place', 'workPlace');
