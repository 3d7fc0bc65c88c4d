import { dictionaryOf } from '../dictionary/dictionary.commands.js';

/** The work types of organisations. */
export const WORK_TYPES = dictionaryOf('work_types', 'work-type', 'workType');
