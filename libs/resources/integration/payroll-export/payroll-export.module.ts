import { Module } from '@nestjs/common';
import { PayrollChangesController } from './payroll-changes.controller.js';
import { PayrollReadinessController } from './payroll-readiness.controller.js';

@Module({ controllers: [PayrollChangesController, PayrollReadinessController] })
export class PayrollExportModule {}
