import { defineResource } from '../../resource.js';
import { IMPORT_JOBS } from '../../importing/jobs/import-jobs.sql.js';
import { ImportController } from './import.controller.js';

/** Imports of CSV files that callers of the API ask for, and workers run. */
export const importResource = defineResource({
  area: 'integration',
  migrations: [IMPORT_JOBS],
  controllers: [ImportController],
});
