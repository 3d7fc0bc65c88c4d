/**
 * The order in which payroll reads facts of employment (payroll-changes.queries.ts). The table is that of people: exports keep
 * nothing of their own.
 */
export const PAYROLL_EXPORT_INDEXES = `
create index employment_facts_in_order_of_recording on employment_facts (organisation_id, recorded_at, person_id, revision);
`;
