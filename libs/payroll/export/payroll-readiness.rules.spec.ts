import { PRESENCE_NAMES, type Presence, readinessIssues } from './payroll-readiness.rules.js';

const ALL_THERE = Object.fromEntries(PRESENCE_NAMES.map((name) => [name, true])) as Presence;
const READY = { presence: ALL_THERE, sharesStaffId: false, exceedsFullTime: false, missingCustomFields: [] };

describe('readiness of a person for payroll', () => {
  it('finds nothing if all data is present', () => expect(readinessIssues(READY)).toEqual([]));

  it.each([
    ['start_date', 'blocking'],
    ['contracted_weekly_minutes', 'blocking'],
    ['staff_id', 'warning'],
    ['work_type', 'warning'],
    ['full_time_weekly_minutes', 'warning'],
    ['working_pattern', 'warning'],
    ['date_of_birth', 'warning'],
    ['home_address', 'warning'],
    ['compensation', 'warning'],
    ['bank_details', 'warning'],
    ['tax_id', 'warning'],
    ['government_id', 'info'],
    ['job_title', 'info'],
    ['department', 'info'],
    ['manager', 'info'],
  ] as const)('without %s is %s', (name, severity) => {
    expect(readinessIssues({ ...READY, presence: { ...ALL_THERE, [name]: false } })).toEqual([
      { severity, field: name, issue: expect.stringMatching(/^(no|there is no) /) },
    ]);
  });

  it('is blocked by a staff id that another person has', () => {
    expect(readinessIssues({ ...READY, sharesStaffId: true })).toEqual([
      { severity: 'blocking', field: 'staff_id', issue: 'another person has the same staff id' },
    ]);
  });

  it('is doubtful if more minutes are contracted than full time has', () => {
    expect(readinessIssues({ ...READY, exceedsFullTime: true })).toEqual([
      {
        severity: 'warning',
        field: 'contracted_weekly_minutes',
        issue: 'more minutes are contracted than full time has',
      },
    ]);
  });

  it('is doubtful where required custom fields of payroll are empty, and names their keys', () => {
    expect(
      readinessIssues({
        ...READY,
        presence: { ...ALL_THERE, custom_fields: false },
        missingCustomFields: ['cost_centre', 'pay_group'],
      }),
    ).toEqual([
      {
        severity: 'warning',
        field: 'custom_fields',
        issue: 'required custom fields of payroll have no value: cost_centre, pay_group',
      },
    ]);
  });

  it('lists the most severe issue first, then in the order of the signals', () => {
    const nothing = Object.fromEntries(PRESENCE_NAMES.map((name) => [name, false])) as Presence;
    expect(
      readinessIssues({ ...READY, presence: nothing }).map(({ severity, field }) => `${severity} ${field}`),
    ).toEqual([
      ...['blocking start_date', 'blocking contracted_weekly_minutes', 'warning staff_id', 'warning work_type'],
      ...['warning full_time_weekly_minutes', 'warning working_pattern', 'warning date_of_birth'],
      ...['warning home_address', 'warning compensation', 'warning bank_details', 'warning tax_id'],
      ...['info job_title', 'info department', 'info manager', 'info government_id'],
    ]);
  });
});
