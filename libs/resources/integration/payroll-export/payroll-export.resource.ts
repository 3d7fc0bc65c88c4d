import { defineResource } from '../../resource.js';
import { PayrollChangesController } from './payroll-changes.controller.js';
import { PayrollReadinessController } from './payroll-readiness.controller.js';

/** The changes that payroll needs, and the data that it lacks. */
export const payrollExportResource = defineResource({
  area: 'integration',
  controllers: [PayrollChangesController, PayrollReadinessController],
});
