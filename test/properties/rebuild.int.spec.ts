import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { admitIdentity, changeUser, createApiKey, eraseUser, inviteUser, revokeApiKey } from '../support/access.js';
import { fixedRing } from '../support/fixed-ring.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { Projector } from '#projections/projector.js';
import { idsInTables, KINDS_THAT_ARE_MADE } from '../support/api/derived-requests.js';
import { makeMissing } from '../support/api/everything.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext, testServices } from '../support/command-services.js';
import { followLog } from '../support/follow-log.js';
import { pngPicture } from '../support/pictures.js';
import { allReadable, createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { setAvatar } from '#people/picture/avatar.api.js';
import { changeCustomField, createCustomField } from '#organisation/custom-field/custom-field.api.js';
import { setCustomFieldValues } from '#people/custom-field-value/custom-field-value.api.js';
import { findPersonValues } from '#people/custom-field-value/custom-field-value.js';
import { DOCUMENT_TYPES, WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { changeDocument, recordDocument, removeDocument } from '#people/document/document.api.js';
import { commandLocation, createLocation } from '#organisation/location/location.api.js';
import { commandOrgUnit, findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import { approveWrites, createOrganisation, setOrganisation } from '#organisation/organisation/organisation.api.js';
import { PeopleWriter } from '#people/record/people-writer.js';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import {
  changeProviderMapping,
  createProviderMapping,
  removeProviderMapping,
} from '#payroll/provider-mapping/provider-mapping.api.js';
import { mapImportColumns } from '#imports/request-import.js';
import { commandMcpPolicy } from '#mcp/policy/mcp-policy.api.js';
import { commandProposal } from '#mcp/proposal/proposal-commands.js';
import type { WriteProposalCommand } from '#mcp/proposal/write-proposal.js';
import { PROJECTIONS } from '#composition/registry.js';
import { openSandbox, prepareSandbox } from '#access/sandbox/sandbox.js';
import {
  commandTimeOffCategory,
  createTimeOffCategory,
  findOrCreateTimeOffCategory,
} from '#time-off/category/time-off-category.api.js';
import { adjustBalance } from '#time-off/balances/adjust-balance.js';
import { changeTimeOff, requestTimeOff, stepTimeOff } from '#time-off/requests/request-time-off.js';
import { changeHoliday, changeTimeOffSettings } from '#time-off/settings/time-off-settings.api.js';
import { markPayroll } from '#payroll/marker/payroll-marker.api.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { TEST_URLS } from '../support/api/webhooks.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  stopWebhook,
} from '#webhooks/endpoint/manage-webhooks.js';
import {
  commandWorkingPattern,
  findOrCreateWorkingPattern,
} from '#organisation/working-pattern/working-pattern.api.js';
import type { CommandServices } from '#commands/services.js';
import { ensureSandboxOrganisation } from '../support/sandbox-organisation.js';

const CLOCK = { now: () => new Date() };
const OWN = PROJECTIONS.filter((projection) => projection.name !== 'people');

describe('the read tables of what people refer to', () => {
  let database: TestDatabase;
  let services: CommandServices;
  let organisationId: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    services = testServices(database);
    organisationId = await recordSomethingOfEverything(services);
    await recordWhatIsLeft(database, organisationId);
    await followLog(services, database.pool);
  });
  afterAll(() => database.drop());

  it.each(OWN)('are the same when they are built anew: $name', async (projection) => {
    const result = await rebuild({ pool: database.pool, eventStore: services.store, clock: CLOCK }, projection);
    expect(result.rows).toBeGreaterThan(0);
    expect(result.differences).toBe(0);
  });

  it('do not change when every stream is projected again', async () => {
    const contents = async () =>
      Promise.all(OWN.map(async ({ name }) => (await database.pool.query(`select * from ${name}`)).rows));
    const before = await contents();
    const version = await database.pool.query('select version from authorisation_version');
    await allReadable(database.pool);
    const events = await services.store.readAll(null, 1_000);
    const streams = await services.store.readStreams([...new Set(events.map((event) => event.stream))]);
    const projector = new Projector(OWN, CLOCK);
    await projector.project(database.pool, streams);
    expect(await contents()).toEqual(before);
    expect((await database.pool.query('select version from authorisation_version')).rows).toEqual(version.rows);
    expect(await projector.stale(database.pool, events)).toEqual([]);
  });

  it('still make authentication look again after they were built anew', async () => {
    const read = async () =>
      Number(
        (await database.pool.query<{ version: string }>('select version from authorisation_version')).rows[0]!.version,
      );
    const before = await read();
    await setOrganisation(services, testContext(organisationId), { name: 'Acme again' });
    expect(await read()).toBe(before + 1);
  });
});

/** Things that a POST of the API makes of a body of its class, where there is none of their kind yet. */
async function recordWhatIsLeft(database: TestDatabase, organisationId: string): Promise<void> {
  const present = new Set<string>();
  for (const kind of KINDS_THAT_ARE_MADE)
    if ((await idsInTables(database.pool, organisationId, kind)).length > 0) present.add(kind);
  if (present.size === KINDS_THAT_ARE_MADE.length) return;
  const api = await TestApi.start({ database: { ...database, drop: () => Promise.resolve() } });
  try {
    await makeMissing(api, await api.organisation(), present);
  } finally {
    await api.stop();
  }
}

async function recordSomethingOfEverything(services: CommandServices): Promise<string> {
  await ensureSandboxOrganisation(services, testContext(''));
  const profile = {
    name: 'Acme',
    subdomain: 'acme',
    country_code: 'GB',
    plan: 'standard',
    time_zone: 'UTC',
    approveWrites: false,
  } as const;
  const owner = await createOrganisation(services, testContext(''), profile);
  const context = () => testContext(owner.id);
  await approveWrites(services, context());
  await setOrganisation(services, context(), { logo_url: 'https://acme.example/a\\b.png', name: 'Acme\u200b"Ltd"' });
  const key = {
    name: 'Key',
    environment: 'live',
    scopes: ['people:read'],
    prefix: 'svc_live_',
    lastFour: 'wxyz',
    now: new Date(),
  } as const;
  await createApiKey(services, context(), owner, {
    ...key,
    secretHash: randomBytes(32),
    expiresAt: new Date('2031-01-01T00:00:00Z'),
  });
  const revoked = await createApiKey(services, context(), owner, {
    ...key,
    secretHash: randomBytes(32),
    expiresAt: null,
  });
  await revokeApiKey(services, context(), revoked.key_id);
  const place = {
    label: 'Office',
    address_line_1: '1 "Long" Lane',
    address_line_2: 'a\\b',
    address_line_3: null,
    city: 'London',
    region_state: '',
    postal_code: '',
    country_code: 'GB',
    capacity: 0,
  };
  await createLocation(services, context(), place);
  const closed = await createLocation(services, context(), { ...place, label: 'Closed', capacity: null });
  await commandLocation(services, context(), closed.id, { type: 'deactivate' });
  const units = await findOrCreateOrgUnits(services, context(), ['Engineering', 'Sales', 'Legal']);
  await commandOrgUnit(services, context(), units.get('sales')!.id, { type: 'archive' });
  await commandOrgUnit(services, context(), units.get('legal')!.id, {
    type: 'change',
    changes: { code: 'L', parent_id: units.get('engineering')!.id },
  });
  for (const dictionary of [WORK_PLACES, WORK_TYPES, DOCUMENT_TYPES]) {
    const entries = await dictionary.findOrCreate(services, context(), ['One', 'Other']);
    await dictionary.command(services, context(), entries.get('one')!.id, { type: 'deactivate' });
  }
  const day = { week: 1, weekday: 1, morning_minutes: 200, afternoon_minutes: 0 };
  const pattern = { cycle_weeks: 3, anchor_date: '2026-01-05', days: [day, { ...day, week: 3 }] };
  const thirds = await findOrCreateWorkingPattern(services, context(), { ...pattern, label: 'Thirds' });
  await commandWorkingPattern(services, context(), thirds.id, {
    type: 'change',
    changes: { days: [day], anchor_date: '2026-02-02' },
  });
  const empty = await findOrCreateWorkingPattern(services, context(), { ...pattern, label: 'Never', days: [] });
  await commandWorkingPattern(services, context(), empty.id, { type: 'archive' });
  const personId = await recordPerson(services, owner.id);
  await changePersonalProfile(services, context(), personId, { middle_names: 'Marie', date_of_birth: '1988-12-10' });
  await changePersonalProfile(services, context(), personId, { middle_names: null, personal_email: 'ada@example.net' });
  for (const width of [1, 2]) await setAvatar(services, context(), personId, pngPicture({ width }));
  const leave = await createTimeOffCategory(services, context(), {
    label: 'Leave',
    code: 'AL',
    colour: '#A1b2C3',
    annual_allowance_minutes: 12_600,
  });
  await commandTimeOffCategory(services, context(), leave.id, {
    type: 'change',
    changes: { annual_allowance_minutes: 13_000, label: 'Annual "leave"' },
  });
  const sick = await findOrCreateTimeOffCategory(services, context(), { label: 'Sick' });
  await commandTimeOffCategory(services, context(), sick.id, { type: 'archive' });
  await changeTimeOffSettings(services, context(), { leave_year_start: '04-06', holiday_region: 'gb-sct' });
  await changeTimeOffSettings(services, context(), { pending_counts: false });
  await changeHoliday(services, context(), {
    type: 'add',
    date: '2026-12-24',
    name: 'Company "day"',
    dayPart: 'afternoon',
  });
  await changeHoliday(services, context(), { type: 'remove', date: '2026-12-25' });
  const changedPay = { marker: 'compensation', state: 'changed', effective_date: '2026-05-01' } as const;
  await markPayroll(services, context(), personId, changedPay);
  await markPayroll(services, context(), personId, { ...changedPay, marker: 'tax_id', state: 'present' });
  await recordCustomFields(services, owner.id, personId);
  await recordTimeOff(services, owner.id, personId);
  await recordProposals(services, owner.id, personId);
  await recordPolicy(services, owner.id);
  await recordColumns(services, owner.id);
  const grant = {
    category_id: leave.id,
    amount_minutes: 450,
    effective_date: '2026-03-01',
    reason_code: 'grant',
    reverses: null,
  } as const;
  const granted = await adjustBalance(services, context(), personId, grant);
  await adjustBalance(services, context(), personId, {
    ...grant,
    amount_minutes: -450,
    reason_code: 'correction',
    reverses: granted.adjustment_id,
  });
  await recordDocuments(services, owner.id, personId);
  await recordWebhooks(services, owner.id);
  await recordUsers(services, owner.id);
  for (const day of ['2026-03-01', '2026-04-01'])
    await openSandbox(services, context(), (await prepareSandbox(services, context())).id, day);
  return owner.id;
}

async function recordUsers(services: CommandServices, organisationId: string): Promise<void> {
  const context = () => testContext(organisationId);
  const invite = (email: string) => inviteUser(services, context(), { email, role: 'hr' });
  const [changed, deactivated, erased] = [
    await invite('a@example.com'),
    await invite('b@example.com'),
    await invite('c@example.com'),
  ];
  await changeUser(services, context(), changed.id, { type: 'set_role', role: 'auditor' });
  await changeUser(services, context(), deactivated.id, { type: 'deactivate' });
  await eraseUser(services, context(), erased.id);
  const proved = { issuer: 'https://login.example', subject: 's\\1', email: 'd@example.com', role: 'viewer' } as const;
  await admitIdentity(services, context(), proved);
}

async function recordWebhooks(commands: CommandServices, organisationId: string): Promise<void> {
  const services = {
    ...commands,
    executor: commands.executor as Pool,
    secrets: new WebhookSecrets(fixedRing(randomBytes(32))),
    urls: TEST_URLS,
  };
  const context = () => testContext(organisationId);
  const create = async (): Promise<string> =>
    (
      await createWebhook(
        services,
        context(),
        { name: 'Pay "ro\\ll"', url: 'https://hooks.example.com/a?b="c"', subscribed_events: ['person.created'] },
        null,
      )
    ).webhook.id;
  const [kept, stopped, deleted] = [await create(), await create(), await create()];
  await changeWebhook(
    services,
    context(),
    kept,
    { changes: { subscribed_events: ['person.ended', 'time_off.created'] }, status: 'disabled' },
    null,
  );
  await changeWebhook(services, context(), kept, { changes: { name: 'Again' }, status: 'active' }, null);
  for (const id of [kept, kept, deleted]) await rotateWebhookSecret(services, context(), id, null);
  await stopWebhook(services, context(), stopped, { reason: 'delivery_failures', activation: 1 });
  await deleteWebhook(services, context(), deleted);
}

async function recordDocuments(services: CommandServices, organisationId: string, personId: string): Promise<void> {
  const context = () => testContext(organisationId);
  const type = (await DOCUMENT_TYPES.findOrCreate(services, context(), ['Contract'])).get('contract')!.id;
  const metadata = {
    name: 'a\\b "c"',
    document_type_id: type,
    content_type: 'text/plain',
    byte_size: Number.MAX_SAFE_INTEGER,
    issued_on: '2026-01-01',
    expires_on: null,
  };
  const [kept, removed] = [
    await recordDocument(services, context(), personId, metadata),
    await recordDocument(services, context(), personId, metadata),
  ];
  await changeDocument(services, context(), kept.id, { name: 'Other', expires_on: '2026-12-31' });
  await removeDocument(services, context(), removed.id);
  const mapping = {
    provider_name: 'xero',
    resource_type: 'person',
    resource_id: personId,
    external_id: 'a\\b',
    status: 'active',
    last_synced_at: null,
  } as const;
  const { id } = await createProviderMapping(services, context(), mapping);
  await changeProviderMapping(services, context(), id, { status: 'error', last_synced_at: '2026-01-01T00:00:00Z' });
  await removeProviderMapping(
    services,
    context(),
    (await createProviderMapping(services, context(), { ...mapping, provider_name: 'sage' })).id,
  );
}

async function recordProposals(services: CommandServices, organisationId: string, personId: string): Promise<void> {
  const proposed = {
    operation: 'changeEmployment',
    key_id: 'key_1',
    environment: 'live',
    person_id: personId,
    entity_tag: null,
    expires_at: '2126-01-01T00:00:00.000Z',
    sealed: 'a\\b',
  } as const;
  const by = { type: 'operator', id: 'lead' } as const;
  const decided = { by, now: '2026-01-01T00:00:00.000Z' } as const;
  const refusal = { code: 'precondition_failed', message: 'It has changed.' };
  const commands: readonly (readonly WriteProposalCommand[])[] = [
    [],
    [{ type: 'reject', ...decided }],
    [
      { type: 'approve', isRelated: false, ...decided },
      { type: 'note_overtaken', refusal },
    ],
  ];
  for (const [index, later] of commands.entries()) {
    const id = services.mint.prefixed('writeProposal', organisationId, String(index));
    for (const command of [{ type: 'propose', proposed } as const, ...later])
      await commandProposal(services, testContext(organisationId), id, command);
  }
}

async function recordPolicy(services: CommandServices, organisationId: string): Promise<void> {
  const proposable = ['createPerson', 'createTimeOff'];
  for (const type of ['allow', 'withdraw', 'allow'] as const)
    await commandMcpPolicy(services, testContext(organisationId), {
      type,
      operations: proposable.slice(type === 'withdraw' ? 1 : 0),
      proposable,
    });
}

async function recordColumns(services: CommandServices, organisationId: string): Promise<void> {
  const mapping = [
    { header: 'Personalnummer\\', column: 'staff_id' },
    { header: 'Gehalt', column: null },
  ];
  for (const [kind, mapped] of [
    ['people', mapping],
    ['locations', mapping.slice(1)],
    ['locations', []],
  ] as const)
    await mapImportColumns(services, testContext(organisationId), { kind, mapping: mapped });
}

async function recordTimeOff(services: CommandServices, organisationId: string, personId: string): Promise<void> {
  const context = () => testContext(organisationId);
  const category = await createTimeOffCategory(services, context(), { label: 'Time\\off' });
  const ask = (start_date: string, end_date: string) =>
    requestTimeOff(services, context(), { person_id: personId, category_id: category.id, start_date, end_date });
  const [asked, changed, straddling] = [
    await ask('2026-03-02', '2026-03-06'),
    await ask('2026-04-01', '2026-04-08'),
    await ask('2026-12-28', '2027-01-08'),
  ];
  await stepTimeOff(services, context(), asked.id, 'approve');
  await changeTimeOff(services, context(), changed.id, { start_date: '2026-04-02', start_day_part: 'afternoon' });
  await stepTimeOff(services, context(), changed.id, 'reject');
  await stepTimeOff(services, context(), straddling.id, 'approve');
  const writer = new PeopleWriter({
    pool: services.executor as Pool,
    eventStore: services.store,
    projector: services.projector,
    mint: services.mint,
  });
  await writer.recordFact(context(), personId, { type: 'end', endDate: '2026-12-31' }, new Map(), null);
}

async function recordCustomFields(services: CommandServices, organisationId: string, personId: string): Promise<void> {
  const context = () => testContext(organisationId);
  const usual = {
    description: 'Tab\t "quote"',
    sensitivity: 'personal',
    api_access: 'hidden',
    display_order: 3,
    is_required: true,
  } as const;
  const options = [
    { value: 's', label: 'Small' },
    { value: 'm', label: 'Me\\dium' },
  ];
  const size = await createCustomField(services, context(), {
    ...usual,
    key: 'size',
    label: 'Size',
    field_type: 'single_select',
    options,
  });
  const note = await createCustomField(services, context(), {
    ...usual,
    key: 'note',
    label: 'Note',
    field_type: 'text',
    is_required: false,
    options: [],
  });
  const set = async (field_id: string, value: string | null) => {
    const known = (await findPersonValues(services.executor, organisationId, personId))!;
    await setCustomFieldValues(services, context(), known, {
      values: [{ field_id, value }],
      writer: { type: 'operator' },
    });
  };
  await set(size.id, 's');
  await changeCustomField(services, context(), size.id, { options: [options[1]!], description: null });
  for (const value of ['a\\b', null]) await set(note.id, value);
}

function recordPerson(services: CommandServices, organisationId: string): Promise<string> {
  const writer = new PeopleWriter({
    pool: services.executor as Pool,
    eventStore: services.store,
    projector: services.projector,
    mint: services.mint,
  });
  const identity = {
    work_email: 'ada@example.com',
    first_name: 'Ada',
    preferred_name: null,
    last_name: null,
    staff_id: null,
  };
  return writer.create(testContext(organisationId), { identity, startDate: '2026-01-01', terms: {} }, new Map());
}
