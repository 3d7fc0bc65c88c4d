import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { JsonObject } from '#kernel/json.js';
import { changesIn } from '../activity/activity-changes.js';
import { AGGREGATES } from '#composition/registry.js';
import { EventSubjects } from '#people/person/event-subjects.js';
import { resourceIdOf } from './report-fields.js';

const ENTRY = { category_id: 'toc_1', start_date: '2026-03-02', end_date: '2026-03-03' };
const ENTRY_FIELDS = ['category_id', 'start_date', 'end_date'];
const UNIT = { name: 'Science', code: 'SCI', parent_id: null, head_id: null };
const FACT = { fact_id: 'ef_1', start_date: '2026-01-01', terms: { job_title: 'Engineer' } };
const EFFECT = { fact_id: 'ef_1', effective_date: '2026-01-01' };
const HOLIDAY = { date: '2026-12-24', name: 'Company day', day_part: 'full' };
const MARKER = { marker_id: 'pm_1', marker: 'compensation', state: 'changed', effective_date: '2026-05-01' };
const USER = { role: 'hr', sealed: 'x' };
const ADJUSTMENT = { adjustment_id: 'adj_1', category_id: 'toc_1', amount_minutes: 60, reason_code: 'grant' };

type Row = readonly [
  type: string,
  category: string,
  data: JsonObject,
  before: readonly (readonly [string, JsonObject])[],
  /** Its id, and that of the person, where they are not those of the stream. */
  ids: { readonly resource?: string; readonly person?: string | null },
  /** The fields that it changes; of those with a state before, the state before and after. */
  changed: readonly (string | readonly [string, string | null, string | null])[],
];

const OF_NOBODY = { person: null } as const;
const OF_RECORD = { resource: 'to_1' } as const;
const REQUESTED = ['TimeOffRequested', { time_off_id: 'to_1', status: 'pending', entry: ENTRY }] as const;
/** Of the same person, decided before: its states are not those of the other record. */
const OTHER = ['TimeOffRequested', { time_off_id: 'to_0', status: 'approved', entry: ENTRY }] as const;

/**
 * What a row of `activity` shows of an event of each type: about which resource and person it is, and which
 * fields it changed.
 */
const ROWS: readonly Row[] = [
  ['OrganisationCreated', 'organisation', { profile: { name: 'Acme' } }, [], OF_NOBODY, ['writes_approved', 'name']],
  ['OrganisationChanged', 'organisation', { profile: { name: 'Acme' } }, [], OF_NOBODY, ['name']],
  [
    'OrganisationWritesApproved',
    'organisation',
    {},
    [['OrganisationCreated', {}]],
    OF_NOBODY,
    [['writes_approved', 'false', 'true']],
  ],
  [
    'OrganisationWritesRevoked',
    'organisation',
    {},
    [['OrganisationWritesApproved', {}]],
    OF_NOBODY,
    [['writes_approved', 'true', 'false']],
  ],
  ['LocationCreated', 'location', { label: 'Oslo' }, [], OF_NOBODY, ['status', 'label']],
  [
    'LocationChanged',
    'location',
    { changes: { label: 'Bergen' } },
    [['LocationCreated', { label: 'Oslo' }]],
    OF_NOBODY,
    [['label', 'Oslo', 'Bergen']],
  ],
  ['LocationDeactivated', 'location', {}, [['LocationCreated', {}]], OF_NOBODY, [['status', 'active', 'inactive']]],
  ['LocationReactivated', 'location', {}, [['LocationDeactivated', {}]], OF_NOBODY, [['status', 'inactive', 'active']]],
  ['OrgUnitCreated', 'org-unit', UNIT, [], OF_NOBODY, ['status', 'name', 'code', 'parent_id', 'head_id']],
  [
    'OrgUnitChanged',
    'org-unit',
    { changes: { name: 'Arts' } },
    [['OrgUnitCreated', UNIT]],
    OF_NOBODY,
    [['name', 'Science', 'Arts']],
  ],
  ['OrgUnitArchived', 'org-unit', {}, [['OrgUnitCreated', UNIT]], OF_NOBODY, [['status', 'active', 'archived']]],
  ['OrgUnitReactivated', 'org-unit', {}, [['OrgUnitArchived', {}]], OF_NOBODY, [['status', 'archived', 'active']]],
  ['DictionaryEntryCreated', 'work-place', { label: 'Office' }, [], OF_NOBODY, ['status', 'label']],
  [
    'DictionaryEntryRelabelled',
    'work-type',
    { label: 'Hybrid' },
    [['DictionaryEntryCreated', { label: 'Office' }]],
    OF_NOBODY,
    [['label', 'Office', 'Hybrid']],
  ],
  [
    'DictionaryEntryDeactivated',
    'document-type',
    {},
    [['DictionaryEntryCreated', {}]],
    OF_NOBODY,
    [['status', 'active', 'inactive']],
  ],
  [
    'DictionaryEntryReactivated',
    'work-place',
    {},
    [['DictionaryEntryDeactivated', {}]],
    OF_NOBODY,
    [['status', 'inactive', 'active']],
  ],
  ['WorkingPatternCreated', 'working-pattern', { label: 'Week' }, [], OF_NOBODY, ['status', 'label']],
  [
    'WorkingPatternChanged',
    'working-pattern',
    { changes: { label: 'Short week' } },
    [['WorkingPatternCreated', { label: 'Week' }]],
    OF_NOBODY,
    [['label', 'Week', 'Short week']],
  ],
  [
    'WorkingPatternArchived',
    'working-pattern',
    {},
    [['WorkingPatternCreated', {}]],
    OF_NOBODY,
    [['status', 'active', 'archived']],
  ],
  ['CustomFieldCreated', 'custom-field', { key: 'shirt' }, [], OF_NOBODY, ['key']],
  ['CustomFieldChanged', 'custom-field', { changes: { label: 'Shirt' } }, [], OF_NOBODY, ['label']],
  ['TimeOffCategoryCreated', 'time-off-category', { label: 'Leave' }, [], OF_NOBODY, ['status', 'label']],
  [
    'TimeOffCategoryChanged',
    'time-off-category',
    { changes: { paid: false } },
    [['TimeOffCategoryCreated', { paid: true }]],
    OF_NOBODY,
    [['paid', 'true', 'false']],
  ],
  [
    'TimeOffCategoryArchived',
    'time-off-category',
    {},
    [['TimeOffCategoryCreated', {}]],
    OF_NOBODY,
    [['status', 'active', 'archived']],
  ],
  [
    'TimeOffSettingsChanged',
    'time-off-settings',
    { changes: { accrual_method: 'monthly' } },
    [],
    OF_NOBODY,
    ['accrual_method'],
  ],
  ['TimeOffRequested', 'time-off', REQUESTED[1], [OTHER], OF_RECORD, [['status', null, 'pending'], ...ENTRY_FIELDS]],
  [
    'TimeOffChanged',
    'time-off',
    { time_off_id: 'to_1', status: 'pending', entry: { ...ENTRY, end_date: '2026-03-04' } },
    [REQUESTED, OTHER],
    OF_RECORD,
    [['end_date', '2026-03-03', '2026-03-04']],
  ],
  [
    'TimeOffApproved',
    'time-off',
    { time_off_id: 'to_1' },
    [REQUESTED, OTHER],
    OF_RECORD,
    [['status', 'pending', 'approved']],
  ],
  [
    'TimeOffRejected',
    'time-off',
    { time_off_id: 'to_1', sealed_note: 'x' },
    [REQUESTED, OTHER],
    OF_RECORD,
    [['status', 'pending', 'rejected']],
  ],
  [
    'TimeOffCancelled',
    'time-off',
    { time_off_id: 'to_1', because: 'requested' },
    [REQUESTED, OTHER],
    OF_RECORD,
    [['status', 'pending', 'cancelled'], 'because'],
  ],
  [
    'TimeOffCut',
    'time-off',
    { time_off_id: 'to_1', entry: { ...ENTRY, end_date: '2026-03-02' } },
    [REQUESTED, OTHER],
    OF_RECORD,
    [['end_date', '2026-03-03', '2026-03-02']],
  ],
  [
    'BalanceAdjusted',
    'time-off-balance',
    ADJUSTMENT,
    [['BalanceAdjusted', { ...ADJUSTMENT, adjustment_id: 'adj_0' }]],
    { resource: 'adj_1' },
    ['category_id', 'amount_minutes', 'reason_code'],
  ],
  ['PersonCreated', 'person', { sealed: 'x' }, [], {}, ['identity']],
  ['PersonIdentityChanged', 'person', { sealed: 'x' }, [], {}, ['identity']],
  ['PersonErased', 'person', { reason: 'asked' }, [], {}, ['status', 'identity']],
  ['PersonalProfileChanged', 'personal-profile', { sealed: { date_of_birth: 'x' } }, [], {}, ['date_of_birth']],
  ['PersonCustomFieldsChanged', 'person-custom-fields', { values: { cfd_1: 'x' } }, [], {}, ['cfd_1']],
  ['AvatarSet', 'avatar', { byte_size: 3 }, [], {}, ['byte_size']],
  ['EmploymentStarted', 'employment', FACT, [], {}, ['employed', 'job_title']],
  [
    'EmploymentChanged',
    'employment',
    { ...FACT, fact_id: 'ef_2', terms: { job_title: 'Lead' } },
    [['EmploymentStarted', FACT]],
    {},
    [['job_title', 'Engineer', 'Lead']],
  ],
  [
    'EmploymentCorrected',
    'employment',
    { ...FACT, fact_id: 'ef_2', corrects: 'ef_1', terms: { job_title: 'Lead' } },
    [['EmploymentStarted', FACT]],
    {},
    [['job_title', 'Engineer', 'Lead']],
  ],
  [
    'EmploymentEnded',
    'employment',
    { fact_id: 'ef_2', end_date: '2026-06-30' },
    [['EmploymentStarted', FACT]],
    {},
    [['employed', 'true', 'false']],
  ],
  [
    'EmploymentReactivated',
    'employment',
    { ...FACT, fact_id: 'ef_3', start_date: '2027-01-01' },
    [
      ['EmploymentStarted', FACT],
      ['EmploymentEnded', { fact_id: 'ef_2', end_date: '2026-06-30' }],
    ],
    {},
    [['employed', 'false', 'true'], 'job_title'],
  ],
  [
    'EmploymentFactWithdrawn',
    'employment',
    { fact_id: 'ef_3', corrects: 'ef_2', effective_date: '2026-06-30', correction_reason: 'by mistake' },
    [
      ['EmploymentStarted', FACT],
      ['EmploymentEnded', { fact_id: 'ef_2', end_date: '2026-06-30' }],
    ],
    {},
    [['employed', 'false', 'true'], 'job_title'],
  ],
  ['EmploymentTookEffect', 'employment-effect', EFFECT, [], {}, ['effect', 'fact_id', 'effective_date']],
  [
    'EmploymentEffectTakenBack',
    'employment-effect',
    EFFECT,
    [['EmploymentTookEffect', EFFECT]],
    {},
    [['effect', 'shown', 'taken back']],
  ],
  [
    'EmploymentTookEffectAgain',
    'employment-effect',
    EFFECT,
    [['EmploymentEffectTakenBack', EFFECT]],
    {},
    [['effect', 'taken back', 'shown']],
  ],
  [
    'DocumentRecorded',
    'document',
    { person_id: 'p_of_it', sealed_name: 'x', byte_size: 3 },
    [],
    { person: 'p_of_it' },
    ['name', 'person_id', 'byte_size'],
  ],
  [
    'DocumentChanged',
    'document',
    { changes: { byte_size: 4 } },
    [['DocumentRecorded', { person_id: 'p_of_it', byte_size: 3 }]],
    { person: 'p_of_it' },
    [['byte_size', '3', '4']],
  ],
  [
    'DocumentRemoved',
    'document',
    {},
    [['DocumentRecorded', { person_id: 'p_of_it' }]],
    { person: 'p_of_it' },
    [['status', null, 'removed']],
  ],
  ['ProviderMappingCreated', 'provider-mapping', { status: 'active' }, [], OF_NOBODY, ['status']],
  [
    'ProviderMappingChanged',
    'provider-mapping',
    { changes: { status: 'paused' } },
    [['ProviderMappingCreated', { status: 'active' }]],
    OF_NOBODY,
    [['status', 'active', 'paused']],
  ],
  [
    'ProviderMappingRemoved',
    'provider-mapping',
    {},
    [['ProviderMappingCreated', { status: 'active' }]],
    OF_NOBODY,
    [['status', 'active', 'removed']],
  ],
  ['WebhookCreated', 'webhook', { name: 'Payroll', secret: 'x' }, [], OF_NOBODY, ['status', 'name']],
  [
    'WebhookChanged',
    'webhook',
    { changes: { name: 'Pay' } },
    [['WebhookCreated', { name: 'Payroll' }]],
    OF_NOBODY,
    [['name', 'Payroll', 'Pay']],
  ],
  [
    'WebhookDisabled',
    'webhook',
    { reason: 'caller' },
    [['WebhookCreated', {}]],
    OF_NOBODY,
    [['status', 'active', 'disabled'], 'reason'],
  ],
  ['WebhookEnabled', 'webhook', {}, [['WebhookDisabled', {}]], OF_NOBODY, [['status', 'disabled', 'active']]],
  ['WebhookSecretRotated', 'webhook', { secret: 'x', secret_last_four: 'wxyz' }, [], OF_NOBODY, ['secret_last_four']],
  ['WebhookSecretsResealed', 'webhook', { secret: 'x' }, [], OF_NOBODY, []],
  ['WebhookDeliveryRetried', 'webhook', { delivery_id: 'whd_1' }, [], OF_NOBODY, ['delivery_id']],
  ['WebhookDeleted', 'webhook', {}, [['WebhookCreated', {}]], OF_NOBODY, [['status', 'active', 'deleted']]],
  ['ApiKeyCreated', 'api-key', { name: 'Payroll', secret_hash: 'x' }, [], OF_NOBODY, ['status', 'name']],
  ['ApiKeyRevoked', 'api-key', {}, [['ApiKeyCreated', {}]], OF_NOBODY, [['status', 'active', 'revoked']]],
  ['UserInvited', 'user', USER, [], OF_NOBODY, ['status', 'email', 'role']],
  [
    'UserSignedIn',
    'user',
    {},
    [['UserInvited', { awaits_sign_in: true }]],
    OF_NOBODY,
    [['status', 'invited', 'active']],
  ],
  ['UserRegistered', 'user', USER, [], OF_NOBODY, ['status', 'email', 'role']],
  ['UserIdentityLinked', 'user', { issuer: 'https://id.example' }, [], OF_NOBODY, ['issuer']],
  [
    'UserRoleChanged',
    'user',
    { role: 'auditor' },
    [['UserInvited', { role: 'hr' }]],
    OF_NOBODY,
    [['role', 'hr', 'auditor']],
  ],
  ['UserSignInLinkCreated', 'user', {}, [], OF_NOBODY, []],
  ['UserDeactivated', 'user', {}, [['UserInvited', {}]], OF_NOBODY, [['status', 'active', 'deactivated']]],
  ['UserReactivated', 'user', {}, [['UserDeactivated', {}]], OF_NOBODY, [['status', 'deactivated', 'active']]],
  ['UserErased', 'user', {}, [['UserInvited', {}]], OF_NOBODY, [['status', 'active', 'erased']]],
  [
    'DirectRunAllowed',
    'mcp-policy',
    { operation: 'b' },
    [['DirectRunAllowed', { operation: 'a' }]],
    OF_NOBODY,
    ['direct_run', ['operation', null, 'b']],
  ],
  [
    'DirectRunWithdrawn',
    'mcp-policy',
    { operation: 'a' },
    [['DirectRunAllowed', { operation: 'a' }]],
    OF_NOBODY,
    [['direct_run', 'allowed', 'withdrawn']],
  ],
  ['WriteProposed', 'write-proposal', { person_id: 'p_of_it' }, [], { person: 'p_of_it' }, ['status', 'person_id']],
  [
    'WriteProposalApproved',
    'write-proposal',
    {},
    [['WriteProposed', {}]],
    OF_NOBODY,
    [['status', 'pending', 'approved']],
  ],
  [
    'WriteProposalRejected',
    'write-proposal',
    {},
    [['WriteProposed', {}]],
    OF_NOBODY,
    [['status', 'pending', 'rejected']],
  ],
  [
    'WriteProposalCancelled',
    'write-proposal',
    {},
    [['WriteProposed', {}]],
    OF_NOBODY,
    [['status', 'pending', 'cancelled']],
  ],
  [
    'WriteProposalExpired',
    'write-proposal',
    {},
    [['WriteProposed', {}]],
    OF_NOBODY,
    [['status', 'pending', 'expired']],
  ],
  [
    'WriteProposalApplied',
    'write-proposal',
    {},
    [['WriteProposalApproved', {}]],
    OF_NOBODY,
    [['status', 'approved', 'applied']],
  ],
  [
    'WriteProposalOvertaken',
    'write-proposal',
    {},
    [['WriteProposalApproved', {}]],
    OF_NOBODY,
    [['status', 'approved', 'overtaken']],
  ],
  ['SandboxPrepared', 'sandbox', { tenant_id: 'org_2' }, [], OF_NOBODY, ['tenant_id']],
  [
    'ImportColumnsMapped',
    'import-columns',
    { mapping: [{ column: 'Personnel no.', means: 'staff_id' }] },
    [],
    OF_NOBODY,
    ['mapping'],
  ],
  ['PublicHolidayAdded', 'public-holidays', HOLIDAY, [], OF_NOBODY, ['date', 'name', 'day_part']],
  ['PublicHolidayRemoved', 'public-holidays', { date: HOLIDAY.date }, [['PublicHolidayAdded', HOLIDAY]], OF_NOBODY, []],
  [
    'PublicHolidayRestored',
    'public-holidays',
    { date: HOLIDAY.date },
    [['PublicHolidayAdded', HOLIDAY]],
    OF_NOBODY,
    [],
  ],
  ['PayrollMarkerRecorded', 'payroll-markers', MARKER, [], {}, ['marker_id', 'marker', 'state', 'effective_date']],
  [
    'PayrollMarkerWithdrawn',
    'payroll-markers',
    { ...MARKER, marker_id: 'pm_2', withdraws: 'pm_1' },
    [['PayrollMarkerRecorded', MARKER]],
    {},
    ['marker_id', 'withdraws'],
  ],
  ['SandboxOpened', 'sandbox', { opened_on: '2026-01-01' }, [], OF_NOBODY, ['opened_on']],
  ['SandboxEventTriggered', 'sandbox-event', { event_type: 'person.updated' }, [], OF_NOBODY, ['event_type']],
];

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

function recorded(category: string, type: string, data: JsonObject, revision: number): RecordedEvent {
  const event = { id: `e${revision}`, stream: `${category}-${ORGANISATION}.of_stream`, revision, type, data };
  return { ...event, recordedAt: '2026-01-01T00:00:00.000Z' } as unknown as RecordedEvent;
}

describe('the row of activity', () => {
  it.each(ROWS)('of %s of %s', (type, category, data, before, ids, changed) => {
    const stream = [...before, [type, data] as const].map(([name, of], index) => recorded(category, name, of, index));
    const event = stream.at(-1)!;
    const subjects = new EventSubjects(
      { query: () => Promise.reject(new Error('nothing is read here')) },
      ORGANISATION,
    );
    subjects.note(stream);
    expect(resourceIdOf(event)).toBe(ids.resource ?? 'of_stream');
    expect(subjects.personOf(event.stream)).toBe(ids.person === undefined ? 'of_stream' : ids.person);
    const shown = changesIn(stream, { open: true, key: null })(event.revision);
    expect(shown.map(({ field }) => field).sort()).toEqual(
      changed.map((one) => (typeof one === 'string' ? one : one[0])).sort(),
    );
    for (const one of changed) {
      if (typeof one === 'string') continue;
      const [field, was, is] = one;
      expect(shown).toContainEqual({ field, before: was, after: is });
    }
  });

  it('is in the table for each type of event and each category that there is', () => {
    const folder = join(__dirname, '../..');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /(?<!\.spec)\.ts$/.test(name),
    );
    const types = files.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/DomainEvent<\s*'(\w+)'/g)].map(([, type]) => type!),
    );
    expect([...new Set(types)].sort()).toEqual([...new Set(ROWS.map(([type]) => type))].sort());
    expect([...new Set(AGGREGATES.map(({ category }) => category))].sort()).toEqual(
      [...new Set(ROWS.map(([, category]) => category))].sort(),
    );
  });
});
