import { defineResource } from '../../resource.js';
import { AuditController } from './audit.controller.js';

/** What auditors read: the report, the anchors of history, and its last verification. `activity` provides what the report is read with. */
export const auditResource = defineResource({ area: 'integration', controllers: [AuditController] });
