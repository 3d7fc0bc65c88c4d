import type { TestApi, TestOrganisation } from '../api/test-api.js';

/**
 * The webhook events (contract part 6) that each recorded event is published as; an event that is not listed
 * is not published.
 */
const PUBLIC_TYPES: Readonly<Record<string, readonly string[]>> = {
  PersonCreated: ['person.created'],
  PersonIdentityChanged: ['person.updated'],
  EmploymentChanged: ['person.updated'],
  EmploymentCorrected: ['person.updated'],
  EmploymentFactWithdrawn: ['person.updated'],
  EmploymentEnded: ['person.ended'],
  EmploymentReactivated: ['person.reactivated'],
  TimeOffRequested: ['time_off.created'],
  TimeOffChanged: ['time_off.updated'],
  TimeOffCut: ['time_off.updated'],
  TimeOffCancelled: ['time_off.cancelled'],
  TimeOffApproved: ['time_off.approved', 'time_off.updated'],
  TimeOffRejected: ['time_off.declined', 'time_off.updated'],
  TimeOffCategoryCreated: ['time_off_category.created'],
  TimeOffCategoryChanged: ['time_off_category.updated'],
  TimeOffCategoryArchived: ['time_off_category.archived'],
  TimeOffSettingsChanged: ['time_off_settings.updated'],
  OrgUnitCreated: ['org_unit.created'],
  OrgUnitChanged: ['org_unit.updated'],
  OrgUnitArchived: ['org_unit.archived'],
  OrgUnitReactivated: ['org_unit.reactivated'],
  WorkingPatternCreated: ['working_pattern.created'],
  WorkingPatternChanged: ['working_pattern.updated'],
  WorkingPatternArchived: ['working_pattern.archived'],
};

/**
 * Returns the contract's events for these streams of an organisation, in the order of the streams and of
 * recording.
 */
export async function publicEvents(
  api: TestApi,
  { row }: TestOrganisation,
  ...streams: readonly (readonly [category: string, entity: string])[]
): Promise<readonly string[]> {
  const recorded = await Promise.all(
    streams.map(([category, entity]) => api.services.store.readStream(`${category}-${row.id}.${entity}`)),
  );
  return recorded.flat().flatMap(({ type }) => PUBLIC_TYPES[type] ?? []);
}

/** Returns the events of a person and of their employment. */
export function personEvents(
  api: TestApi,
  organisation: TestOrganisation,
  personId: string,
): Promise<readonly string[]> {
  return publicEvents(api, organisation, ['person', personId], ['employment', personId]);
}
