/** The steps by which an integrator connects a provider. */
export interface Playbook {
  readonly provider_name: string;
  /** Each names the route and, in brackets, the scope that the key needs for it. */
  readonly steps: readonly string[];
}

/** Kinds of provider, for organisations that have connected none yet. */
const GENERAL: readonly Playbook[] = [
  {
    provider_name: 'payroll',
    steps: [
      'GET /payroll-readiness-export (payroll_exports:read): clear what is blocking before the first run',
      'GET /people (people:read): match your employees by staff_id, and keep the ids',
      'GET /payroll-changes-export (payroll_exports:read): run it for each pay period, and once more for the period ' +
        'before; take in the rows whose fact_id you have not seen',
      'GET /people/{personId}/timeline (people:read): read the terms behind a change, as_of its effective_date',
    ],
  },
  {
    provider_name: 'identity',
    steps: [
      'GET /people (people:read): with updated_since 1970-01-01T00:00:00Z make an account for each person, by id',
      'GET /org-units (org_units:read): map departments to groups',
      'GET /people (people:read): with updated_since as the largest updated_at you saw, at least daily; close ' +
        'accounts after the end_date, which is a working day still',
    ],
  },
  {
    provider_name: 'business_intelligence',
    steps: [
      'GET /org-units (org_units:read), GET /working-patterns (working_patterns:read) and GET /reference/work-types ' +
        '(reference:read): load the dimensions again each day',
      'GET /people (people:read): load people by updated_since',
      'GET /people/{personId}/timeline (people:read): load segments of employment; known_at keeps a report as it was',
      'GET /custom-fields (custom_fields:read): load the definitions of fields of your own',
    ],
  },
  {
    provider_name: 'calendar',
    steps: [
      'GET /people (people:read): match calendars by work_email',
      "GET /public-holidays (time_off:read): put the region's holidays in",
      'GET /time-off (time_off:read): with updated_since, show what has status_code approved, and take out what is ' +
        'cancelled',
      'GET /working-patterns (working_patterns:read): show days without working time as free',
    ],
  },
];

/** The general playbooks, and one for each provider with mappings in the organisation. */
export function playbooksFor(providerNames: readonly string[]): readonly Playbook[] {
  const known = new Set(providerNames);
  const general = GENERAL.map(({ provider_name: name, steps }) => ({
    provider_name: name,
    steps: known.has(name) ? [...steps, ...stepsOf(name)] : steps,
  }));
  const own = [...known].filter((name) => GENERAL.every(({ provider_name: other }) => other !== name));
  return [...general, ...own.map((name) => ({ provider_name: name, steps: stepsOf(name) }))];
}

function stepsOf(providerName: string): readonly string[] {
  return [
    `GET /provider-mappings (provider_mappings:read): with provider_name ${providerName}; rows need the read scope ` +
      'of what they map as well',
    'GET /integration-readiness (organisation:read): clear what is said of its mappings, errors first',
    'GET /people (people:read): compare whom it knows with whom it should know',
  ];
}
