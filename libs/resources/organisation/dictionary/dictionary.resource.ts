import { noteChangesOfNames } from '../../naming/reference-versions.js';
import { defineResource } from '../../resource.js';
import { DICTIONARY_COMMAND_HANDLERS } from './dictionary.handlers.js';
import { dictionarySchema, documentTypeTable, workPlaceTable, workTypeTable } from './dictionary.table.js';

/** Dictionaries: operators manage them on the command line, and `/reference` shows them. */
export const workPlaceResource = defineResource({
  area: 'organisation',
  tables: [workPlaceTable],
  schema: dictionarySchema('work_places') + noteChangesOfNames('work_places', 'label'),
  handlers: DICTIONARY_COMMAND_HANDLERS,
});
export const workTypeResource = defineResource({
  area: 'organisation',
  tables: [workTypeTable],
  schema: dictionarySchema('work_types') + noteChangesOfNames('work_types', 'label'),
});
export const documentTypeResource = defineResource({
  area: 'organisation',
  tables: [documentTypeTable],
  schema: dictionarySchema('document_types'),
});
