import { defineResource } from '../../resource.js';
import { payrollMarkersAggregate } from './payroll-marker.decider.js';
import { PAYROLL_MARKER_COMMAND_HANDLERS } from './payroll-marker.handlers.js';
import { PAYROLL_MARKERS_MIGRATION, payrollMarkerProjection } from './payroll-marker.projection.js';

/** What payroll has to know of data that the service does not hold. Written in the application alone: no API key can. */
export const payrollMarkerResource = defineResource({
  area: 'integration',
  aggregates: [payrollMarkersAggregate],
  projections: [payrollMarkerProjection],
  migrations: [PAYROLL_MARKERS_MIGRATION],
  handlers: PAYROLL_MARKER_COMMAND_HANDLERS,
});
