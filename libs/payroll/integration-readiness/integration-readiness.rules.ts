import { type Severity, SEVERITIES } from '../export/payroll-readiness.rules.js';

/** The part of the organisation that an issue concerns. */
export const AREAS = [
  'organisation',
  'people',
  'employment',
  'org_units',
  'working_patterns',
  'reference',
  'provider_mappings',
] as const;

export type Area = (typeof AREAS)[number];

/** The numbers of people, employed today or starting later, with issues that hinder an integration. */
export interface PeopleCounts {
  readonly people: number;
  readonly without_start_date: number;
  readonly sharing_staff_ids: number;
  readonly without_staff_id: number;
  readonly without_department: number;
  readonly without_manager: number;
  readonly without_working_pattern: number;
  readonly in_archived_departments: number;
  readonly with_former_managers: number;
  readonly with_archived_working_patterns: number;
  readonly with_inactive_work_places: number;
  readonly with_inactive_work_types: number;
  readonly units_with_former_heads: number;
  readonly to_start: number;
  readonly leaving: number;
}

/** The numbers of mappings of one provider. */
export interface ProviderCounts {
  readonly provider_name: string;
  readonly failing: number;
  readonly pending: number;
  /** Mappings of all people. */
  readonly people: number;
  /** Mappings of people who are employed or start later. */
  readonly current_people: number;
}

export interface IntegrationCounts {
  readonly writesApproved: boolean;
  readonly people: PeopleCounts;
  readonly providers: readonly ProviderCounts[];
}

/**
 * An issue that hinders integrations, and the number of people or mappings that it concerns, never which
 * ones.
 */
export interface IntegrationIssue {
  readonly severity: Severity;
  readonly area: Area;
  readonly issue: string;
  readonly count: number;
}

type Rule = readonly [Severity, Area, keyof PeopleCounts, string];

const RULES: readonly Rule[] = [
  ['blocking', 'people', 'sharing_staff_ids', 'people who share a staff id with another person'],
  ['warning', 'people', 'without_staff_id', 'people without a staff id to be matched by'],
  ['warning', 'employment', 'without_start_date', 'people without a first day of employment'],
  [
    'warning',
    'employment',
    'without_working_pattern',
    'people without a working pattern, whose working days cannot be told from days off',
  ],
  ['warning', 'employment', 'with_former_managers', 'people whose manager has left'],
  ['warning', 'org_units', 'in_archived_departments', 'people in an archived department'],
  ['warning', 'working_patterns', 'with_archived_working_patterns', 'people with an archived working pattern'],
  ['info', 'employment', 'without_department', 'people without a department'],
  ['info', 'employment', 'without_manager', 'people without a manager'],
  ['info', 'org_units', 'units_with_former_heads', 'org units headed by a person who has left'],
  ['info', 'reference', 'with_inactive_work_places', 'people with an inactive work place'],
  ['info', 'reference', 'with_inactive_work_types', 'people with an inactive work type'],
  ['info', 'employment', 'to_start', 'people who have yet to start'],
  ['info', 'employment', 'leaving', 'people whose final day is still to come'],
];

/** The issues that hinder integrations, the most severe first (docs/reference/payroll.md). */
export function integrationIssues({
  writesApproved,
  people,
  providers,
}: IntegrationCounts): readonly IntegrationIssue[] {
  const found = [
    ...(writesApproved
      ? []
      : [
          {
            severity: 'info',
            area: 'organisation',
            issue: 'the operator has not approved writes through the API',
            count: 1,
          } as const,
        ]),
    ...RULES.map(([severity, area, name, issue]) => ({ severity, area, issue, count: people[name] })),
    ...providers.flatMap((provider) => issuesOfProvider(provider, people.people)),
  ];
  return found
    .filter(({ count }) => count > 0)
    .sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
}

/**
 * The issues of one provider. A provider with mappings of some people is expected to have mappings of all.
 */
function issuesOfProvider(provider: ProviderCounts, people: number): readonly IntegrationIssue[] {
  const { provider_name: name, failing, pending } = provider;
  const area = 'provider_mappings';
  return [
    { severity: 'blocking', area, issue: `mappings of ${name} in error`, count: failing },
    {
      severity: 'warning',
      area,
      issue: `people without a mapping of ${name}`,
      count: provider.people === 0 ? 0 : people - provider.current_people,
    },
    { severity: 'info', area, issue: `mappings of ${name} that were not exchanged yet`, count: pending },
  ];
}
