import { defineResource } from '../../resource.js';
import { ImportController } from './import.controller.js';

/** Imports of CSV files that callers of the API ask for, and workers run. */
export const importResource = defineResource({
  area: 'integration',
  controllers: [ImportController],
});
