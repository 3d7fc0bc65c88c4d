import { defineResource } from '../../resource.js';
import { PayrollChangesController } from './payroll-changes.controller.js';
import { PayrollReadinessController } from './payroll-readiness.controller.js';

/** What payroll has to know of a month, and what it lacks. */
export const payrollExportResource = defineResource({
  area: 'integration',
  controllers: [PayrollChangesController, PayrollReadinessController],
});
