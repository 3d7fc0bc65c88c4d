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
  /** The fields that it changes; for a field with a state, the states before and after, `-` for none. */
  changed: readonly string[],
  /** The events before it, by type if they need no further data. */
  before?: readonly (string | readonly [string, JsonObject])[],
  /** Its id, and that of the person, if they differ from those of the stream. */
  ids?: { readonly resource?: string; readonly person?: string },
];

/** The categories whose streams are named after a person. */
const OF_PEOPLE = new Set([
  ...['person', 'personal-profile', 'person-custom-fields', 'avatar', 'employment', 'employment-effect'],
  ...['time-off', 'time-off-balance', 'payroll-markers'],
]);
const OF_RECORD = { resource: 'to_1' };
const REQUESTED = ['TimeOffRequested', { time_off_id: 'to_1', status: 'pending', entry: ENTRY }] as const;
const STARTED = ['EmploymentStarted', FACT] as const;
const ENDED = ['EmploymentEnded', { fact_id: 'ef_2', end_date: '2026-06-30' }] as const;
const ALLOWED = ['DirectRunAllowed', { operation: 'a' }] as const;
const OF_PERSON = { person: 'p_of_it' };
const RECORDED = ['DocumentRecorded', { person_id: 'p_of_it' }] as const;
const MAPPED = ['ProviderMappingCreated', { status: 'active' }] as const;
/** A record of the same person that was decided before: its states do not affect the other record. */
const OTHER = ['TimeOffRequested', { time_off_id: 'to_0', status: 'approved', entry: ENTRY }] as const;
const BOTH = [REQUESTED, OTHER];

/**
 * The row of `activity` for an event of each type: its resource, its person, and the fields that it changed.
 */
const ROWS: readonly Row[] = [
  ['OrganisationCreated', 'organisation', { profile: { name: 'Acme' } }, ['writes_approved', 'name']],
  ['OrganisationChanged', 'organisation', { profile: { name: 'Acme' } }, ['name']],
  ['OrganisationWritesApproved', 'organisation', {}, ['writes_approved: false > true'], ['OrganisationCreated']],
  ['OrganisationWritesRevoked', 'organisation', {}, ['writes_approved: true > false'], ['OrganisationWritesApproved']],
  ['LocationCreated', 'location', { label: 'Oslo' }, ['status', 'label']],
  [
    'LocationChanged',
    'location',
    { changes: { label: 'Bergen' } },
    ['label: Oslo > Bergen'],
    [['LocationCreated', { label: 'Oslo' }]],
  ],
  ['LocationDeactivated', 'location', {}, ['status: active > inactive'], ['LocationCreated']],
  ['LocationReactivated', 'location', {}, ['status: inactive > active'], ['LocationDeactivated']],
  ['OrgUnitCreated', 'org-unit', UNIT, ['status', 'name', 'code', 'parent_id', 'head_id']],
  ['OrgUnitChanged', 'org-unit', { changes: { name: 'Arts' } }, ['name: Science > Arts'], [['OrgUnitCreated', UNIT]]],
  ['OrgUnitArchived', 'org-unit', {}, ['status: active > archived'], [['OrgUnitCreated', UNIT]]],
  ['OrgUnitReactivated', 'org-unit', {}, ['status: archived > active'], ['OrgUnitArchived']],
  ['DictionaryEntryCreated', 'work-place', { label: 'Office' }, ['status', 'label']],
  [
    'DictionaryEntryRelabelled',
    'work-type',
    { label: 'Hybrid' },
    ['label: Office > Hybrid'],
    [['DictionaryEntryCreated', { label: 'Office' }]],
  ],
  ['DictionaryEntryDeactivated', 'document-type', {}, ['status: active > inactive'], ['DictionaryEntryCreated']],
  ['DictionaryEntryReactivated', 'work-place', {}, ['status: inactive > active'], ['DictionaryEntryDeactivated']],
  ['WorkingPatternCreated', 'working-pattern', { label: 'Week' }, ['status', 'label']],
  [
    'WorkingPatternChanged',
    'working-pattern',
    { changes: { label: 'Short week' } },
    ['label: Week > Short week'],
    [['WorkingPatternCreated', { label: 'Week' }]],
  ],
  ['WorkingPatternArchived', 'working-pattern', {}, ['status: active > archived'], ['WorkingPatternCreated']],
  ['CustomFieldCreated', 'custom-field', { key: 'shirt' }, ['key']],
  ['CustomFieldChanged', 'custom-field', { changes: { label: 'Shirt' } }, ['label']],
  ['TimeOffCategoryCreated', 'time-off-category', { label: 'Leave' }, ['status', 'label']],
  [
    'TimeOffCategoryChanged',
    'time-off-category',
    { changes: { paid: false } },
    ['paid: true > false'],
    [['TimeOffCategoryCreated', { paid: true }]],
  ],
  ['TimeOffCategoryArchived', 'time-off-category', {}, ['status: active > archived'], ['TimeOffCategoryCreated']],
  ['TimeOffSettingsChanged', 'time-off-settings', { changes: { accrual_method: 'monthly' } }, ['accrual_method']],
  ['TimeOffRequested', 'time-off', REQUESTED[1], ['status: - > pending', ...ENTRY_FIELDS], [OTHER], OF_RECORD],
  [
    'TimeOffChanged',
    'time-off',
    { time_off_id: 'to_1', status: 'pending', entry: { ...ENTRY, end_date: '2026-03-04' } },
    ['end_date: 2026-03-03 > 2026-03-04'],
    BOTH,
    OF_RECORD,
  ],
  ['TimeOffApproved', 'time-off', { time_off_id: 'to_1' }, ['status: pending > approved'], BOTH, OF_RECORD],
  [
    'TimeOffRejected',
    'time-off',
    { time_off_id: 'to_1', sealed_note: 'x' },
    ['status: pending > rejected'],
    BOTH,
    OF_RECORD,
  ],
  [
    'TimeOffCancelled',
    'time-off',
    { time_off_id: 'to_1', because: 'requested' },
    ['status: pending > cancelled', 'because'],
    BOTH,
    OF_RECORD,
  ],
  [
    'TimeOffCut',
    'time-off',
    { time_off_id: 'to_1', entry: { ...ENTRY, end_date: '2026-03-02' } },
    ['end_date: 2026-03-03 > 2026-03-02'],
    BOTH,
    OF_RECORD,
  ],
  [
    'BalanceAdjusted',
    'time-off-balance',
    ADJUSTMENT,
    ['category_id', 'amount_minutes', 'reason_code'],
    [['BalanceAdjusted', { ...ADJUSTMENT, adjustment_id: 'adj_0' }]],
    { resource: 'adj_1' },
  ],
  ['PersonCreated', 'person', { sealed: 'x' }, ['identity']],
  ['PersonIdentityChanged', 'person', { sealed: 'x' }, ['identity']],
  ['PersonErased', 'person', { reason: 'asked' }, ['status', 'identity']],
  ['PersonalProfileChanged', 'personal-profile', { sealed: { date_of_birth: 'x' } }, ['date_of_birth']],
  ['PersonCustomFieldsChanged', 'person-custom-fields', { values: { cfd_1: 'x' } }, ['cfd_1']],
  ['AvatarSet', 'avatar', { byte_size: 3 }, ['byte_size']],
  ['AvatarRemoved', 'avatar', {}, []],
  ['EmploymentStarted', 'employment', FACT, ['employed', 'job_title']],
  [
    'EmploymentChanged',
    'employment',
    { ...FACT, fact_id: 'ef_2', terms: { job_title: 'Lead' } },
    ['job_title: Engineer > Lead'],
    [STARTED],
  ],
  [
    'EmploymentCorrected',
    'employment',
    { ...FACT, fact_id: 'ef_2', corrects: 'ef_1', terms: { job_title: 'Lead' } },
    ['job_title: Engineer > Lead'],
    [STARTED],
  ],
  ['EmploymentEnded', 'employment', { fact_id: 'ef_2', end_date: '2026-06-30' }, ['employed: true > false'], [STARTED]],
  [
    'EmploymentReactivated',
    'employment',
    { ...FACT, fact_id: 'ef_3', start_date: '2027-01-01' },
    ['employed: false > true', 'job_title'],
    [STARTED, ENDED],
  ],
  [
    'EmploymentFactWithdrawn',
    'employment',
    { fact_id: 'ef_3', corrects: 'ef_2', effective_date: '2026-06-30', correction_reason: 'by mistake' },
    ['employed: false > true', 'job_title'],
    [STARTED, ENDED],
  ],
  ['EmploymentTookEffect', 'employment-effect', EFFECT, ['effect', 'fact_id', 'effective_date']],
  [
    'EmploymentEffectTakenBack',
    'employment-effect',
    EFFECT,
    ['effect: shown > taken back'],
    [['EmploymentTookEffect', EFFECT]],
  ],
  [
    'EmploymentTookEffectAgain',
    'employment-effect',
    EFFECT,
    ['effect: taken back > shown'],
    [['EmploymentEffectTakenBack', EFFECT]],
  ],
  [
    'DocumentRecorded',
    'document',
    { person_id: 'p_of_it', sealed_name: 'x', byte_size: 3 },
    ['name', 'person_id', 'byte_size'],
    [],
    OF_PERSON,
  ],
  [
    'DocumentChanged',
    'document',
    { changes: { byte_size: 4 } },
    ['byte_size: 3 > 4'],
    [['DocumentRecorded', { person_id: 'p_of_it', byte_size: 3 }]],
    OF_PERSON,
  ],
  ['DocumentRemoved', 'document', {}, ['status: - > removed'], [RECORDED], OF_PERSON],
  ['ProviderMappingCreated', 'provider-mapping', { status: 'active' }, ['status']],
  [
    'ProviderMappingChanged',
    'provider-mapping',
    { changes: { status: 'paused' } },
    ['status: active > paused'],
    [MAPPED],
  ],
  ['ProviderMappingRemoved', 'provider-mapping', {}, ['status: active > removed'], [MAPPED]],
  ['WebhookCreated', 'webhook', { name: 'Payroll', secret: 'x' }, ['status', 'name']],
  [
    'WebhookChanged',
    'webhook',
    { changes: { name: 'Pay' } },
    ['name: Payroll > Pay'],
    [['WebhookCreated', { name: 'Payroll' }]],
  ],
  ['WebhookDisabled', 'webhook', { reason: 'caller' }, ['status: active > disabled', 'reason'], ['WebhookCreated']],
  ['WebhookEnabled', 'webhook', {}, ['status: disabled > active'], ['WebhookDisabled']],
  ['WebhookSecretRotated', 'webhook', { secret: 'x', secret_last_four: 'wxyz' }, ['secret_last_four']],
  ['WebhookSecretsResealed', 'webhook', { secret: 'x' }, []],
  ['WebhookDeliveryRetried', 'webhook', { delivery_id: 'whd_1' }, ['delivery_id']],
  ['WebhookDeleted', 'webhook', {}, ['status: active > deleted'], ['WebhookCreated']],
  ['ApiKeyCreated', 'api-key', { name: 'Payroll', secret_hash: 'x' }, ['status', 'name']],
  ['ApiKeyRevoked', 'api-key', {}, ['status: active > revoked'], ['ApiKeyCreated']],
  ['UserInvited', 'user', USER, ['status', 'email', 'role']],
  ['UserSignedIn', 'user', {}, ['status: invited > active'], [['UserInvited', { awaits_sign_in: true }]]],
  ['UserRegistered', 'user', USER, ['status', 'email', 'role']],
  ['UserIdentityLinked', 'user', { issuer: 'https://id.example' }, ['issuer']],
  ['UserRoleChanged', 'user', { role: 'auditor' }, ['role: hr > auditor'], [['UserInvited', { role: 'hr' }]]],
  ['UserSignInLinkCreated', 'user', {}, []],
  [
    'UserCalendarLinkCreated',
    'user',
    { link_id: 'cal_1', person_id: null, org_unit_id: 'org_unit_1' },
    ['link_id', 'person_id', 'org_unit_id'],
  ],
  ['UserCalendarLinkRevoked', 'user', { link_id: 'cal_1' }, ['link_id']],
  ['UserAiClientConnected', 'user', { client_id: 'aic_1' }, ['client_id']],
  ['UserAiClientDisconnected', 'user', { client_id: 'aic_1' }, ['client_id']],
  ['UserPersonLinked', 'user', { person_id: 'psn' }, ['person_id']],
  ['UserPersonUnlinked', 'user', {}, []],
  ['UserDeactivated', 'user', {}, ['status: active > deactivated'], ['UserInvited']],
  ['UserReactivated', 'user', {}, ['status: deactivated > active'], ['UserDeactivated']],
  ['UserErased', 'user', {}, ['status: active > erased'], ['UserInvited']],
  ['DirectRunAllowed', 'mcp-policy', { operation: 'b' }, ['direct_run', 'operation: - > b'], [ALLOWED]],
  ['DirectRunWithdrawn', 'mcp-policy', { operation: 'a' }, ['direct_run: allowed > withdrawn'], [ALLOWED]],
  ['WriteProposed', 'write-proposal', { person_id: 'p_of_it' }, ['status', 'person_id'], [], OF_PERSON],
  ['WriteProposalApproved', 'write-proposal', {}, ['status: pending > approved'], ['WriteProposed']],
  ['WriteProposalRejected', 'write-proposal', {}, ['status: pending > rejected'], ['WriteProposed']],
  ['WriteProposalCancelled', 'write-proposal', {}, ['status: pending > cancelled'], ['WriteProposed']],
  ['WriteProposalExpired', 'write-proposal', {}, ['status: pending > expired'], ['WriteProposed']],
  ['WriteProposalApplied', 'write-proposal', {}, ['status: approved > applied'], ['WriteProposalApproved']],
  ['WriteProposalOvertaken', 'write-proposal', {}, ['status: approved > overtaken'], ['WriteProposalApproved']],
  ['SandboxPrepared', 'sandbox', { tenant_id: 'org_2' }, ['tenant_id']],
  ['ImportColumnsMapped', 'import-columns', { mapping: [{ column: 'Personnel no.', means: 'staff_id' }] }, ['mapping']],
  ['PublicHolidayAdded', 'public-holidays', HOLIDAY, ['date', 'name', 'day_part']],
  ['PublicHolidayRemoved', 'public-holidays', { date: HOLIDAY.date }, [], [['PublicHolidayAdded', HOLIDAY]]],
  ['PublicHolidayRestored', 'public-holidays', { date: HOLIDAY.date }, [], [['PublicHolidayAdded', HOLIDAY]]],
  ['PayrollMarkerRecorded', 'payroll-markers', MARKER, ['marker_id', 'marker', 'state', 'effective_date']],
  [
    'PayrollMarkerWithdrawn',
    'payroll-markers',
    { ...MARKER, marker_id: 'pm_2', withdraws: 'pm_1' },
    ['marker_id', 'withdraws'],
    [['PayrollMarkerRecorded', MARKER]],
  ],
  ['SandboxOpened', 'sandbox', { opened_on: '2026-01-01' }, ['opened_on']],
  ['SandboxEventTriggered', 'sandbox-event', { event_type: 'person.updated' }, ['event_type']],
];

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

function recorded(category: string, type: string, data: JsonObject, revision: number): RecordedEvent {
  const event = { id: `e${revision}`, stream: `${category}-${ORGANISATION}.of_stream`, revision, type, data };
  return { ...event, recordedAt: '2026-01-01T00:00:00.000Z' } as unknown as RecordedEvent;
}

describe('the row of activity', () => {
  it.each(ROWS.map((row) => [row[0], row[1], row] as const))('of %s of %s', (type, category, row) => {
    const [, , data, changed, before = [], ids = {}] = row;
    const earlier = before.map((one) => (typeof one === 'string' ? ([one, {}] as const) : one));
    const stream = [...earlier, [type, data] as const].map(([name, of], index) => recorded(category, name, of, index));
    const event = stream.at(-1)!;
    const executor = { query: () => Promise.reject(new Error('nothing is read here')) };
    const subjects = new EventSubjects(executor, ORGANISATION);
    subjects.note(stream);
    expect(resourceIdOf(event)).toBe(ids.resource ?? 'of_stream');
    expect(subjects.personOf(event.stream)).toBe(ids.person ?? (OF_PEOPLE.has(category) ? 'of_stream' : null));
    const fields = changed.map(
      (text) => /^(\w+)(?:: (.+) > (.+))?$/.exec(text)!.slice(1) as [string, string?, string?],
    );
    const shown = changesIn(stream, { open: true, key: null })(event.revision);
    expect(shown.map(({ field }) => field).sort()).toEqual(fields.map(([field]) => field).sort());
    const stateOf = (text: string) => (text === '-' ? null : text);
    for (const [field, was, is] of fields)
      if (was !== undefined) expect(shown).toContainEqual({ field, before: stateOf(was), after: stateOf(is!) });
  });

  it('is in the table for each type of event and each category', () => {
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
