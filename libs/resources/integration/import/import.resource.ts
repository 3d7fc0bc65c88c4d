import { IMPORT_CHANGES_SQL } from '../../importing/jobs/import-jobs.sql.js';
import { defineResource } from '../../resource.js';
import { ImportColumnsController } from './import-columns.controller.js';
import { IMPORT_COLUMNS_SQL, importColumnsTable } from './import-columns.table.js';
import { ImportFileHandler } from './import-file.handlers.js';
import { ImportController } from './import.controller.js';
import { IMPORT_COMMAND_HANDLERS } from './import.handlers.js';

/** Imports of CSV files that callers of the API ask for, and workers run. */
export const importResource = defineResource({
  area: 'integration',
  tables: [importColumnsTable],
  controllers: [ImportController, ImportColumnsController],
  handlers: [...IMPORT_COMMAND_HANDLERS, ImportFileHandler],
  migrations: [{ version: 27, name: 'columns and changes of imports', sql: IMPORT_CHANGES_SQL + IMPORT_COLUMNS_SQL }],
});
