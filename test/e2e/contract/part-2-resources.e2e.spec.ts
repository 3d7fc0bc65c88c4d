/**
 * Part 2 of the contract, "Resources and their fields", row by row in its order. Fields that the contract
 * leaves open are tried with their routes, in part 4; so are those of webhook endpoints and deliveries.
 */
import { setAvatar } from '#people/picture/avatar.api.js';
import { commandLocation, createLocation } from '#organisation/location/location.api.js';
import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import { CustomFieldActions } from '../../support/api/custom-fields.js';
import { expectError } from '../../support/api/expect-error.js';
import { tagOf } from '../../support/api/http-client.js';
import { dataOf, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { testContext } from '../../support/command-services.js';
import {
  boolean,
  country,
  date,
  dateTime,
  describeFields,
  email,
  id,
  integer,
  matching,
  neverNull,
  nullable,
  number,
  object,
  oneOf,
  orNull,
  personId,
  type Shown,
  string,
  uri,
} from '../../support/contract/kinds.js';
import { jpegPicture, pngPicture, webpPicture } from '../../support/pictures.js';

const ADDRESS = {
  address_line_1: '1 High Street',
  address_line_2: null,
  address_line_3: null,
  city: 'Oslo',
  region_state: '',
  postal_code: '0150',
  country_code: 'NO',
};

let own: TestOrganisation;
let bare: TestOrganisation;
let people: PeopleActions;
/** With everything, and with nothing but an e-mail address. */
let whole: string;
let empty: string;
/** Answers by the path they were read from. */
const shown = new Map<string, readonly Shown[]>();

const api = TestApi.forSpec();

beforeAll(async () => {
  [own, bare] = [await api.organisation(), await api.organisation()];
  people = new PeopleActions(own);
  await setUpOrganisation();
  await setUpPeople();
  await setUpCustomFields();
  for (const path of ['/organisation/locations', '/custom-fields']) shown.set(path, await read<readonly Shown[]>(path));
  shown.set('/organisation', [await read('/organisation'), dataOf(200, await bare.client.get<Shown>('/organisation'))]);
  shown.set('/people', [await read(`/people/${whole}`), await read(`/people/${empty}`)]);
  shown.set('/personal', [await read(`/people/${whole}/personal`), await read(`/people/${empty}/personal`)]);
});

const context = () => testContext(own.row.id);
const read = async <Data = Shown>(path: string): Promise<Data> => dataOf(200, await own.client.get<Data>(path));
const samplesOf = (path: string) => (): readonly Shown[] => shown.get(path)!;

async function setUpOrganisation(): Promise<void> {
  await setOrganisation(api.services, context(), {
    logo_url: 'https://example.com/logo.png',
    primary_color_light: '#aabbcc',
    primary_color_dark: '#001122',
  });
  await createLocation(api.services, context(), {
    ...ADDRESS,
    label: 'One',
    capacity: 12,
    address_line_2: 'Floor 2',
    address_line_3: 'Door 3',
  });
  await createLocation(api.services, context(), { ...ADDRESS, label: 'Other', capacity: null });
  const closed = await createLocation(api.services, context(), { ...ADDRESS, label: 'Closed', capacity: null });
  await commandLocation(api.services, context(), closed.id, { type: 'deactivate' });
}

async function setUpPeople(): Promise<void> {
  const { other_department_id: _, ...references } = own.references;
  empty = (await people.create()).id;
  const names = {
    first_name: 'Augusta',
    preferred_name: 'Ada',
    last_name: 'Byron',
    staff_id: 'E-1',
    job_title: 'Engineer',
  };
  const terms = { ...references, manager_id: empty, contracted_weekly_minutes: 1_500, full_time_weekly_minutes: 2_250 };
  whole = (await people.create({ ...names, ...terms, start_date: '2024-01-01' })).id;
  await people.end(whole, '2025-12-31');
  const profile = {
    middle_names: 'King',
    date_of_birth: '1988-12-10',
    personal_email: 'ada@example.net',
    personal_phone_number: '+44 7700 900123',
    work_phone_number: '+44 117 496 0123',
  };
  await changePersonalProfile(api.services, context(), whole, { ...profile, home_address: ADDRESS });
}

async function setUpCustomFields(): Promise<void> {
  const fields = new CustomFieldActions(api, own);
  const options = [
    { value: 's', label: 'Small' },
    { value: 'm', label: 'Medium' },
  ];
  await fields.define('shirt_size', { field_type: 'single_select', options, description: 'For the welcome package.' });
  await fields.define('shoe_size', { field_type: 'number', api_access: 'read', sensitivity: 'personal' });
  await fields.define('first_aider', { field_type: 'boolean', sensitivity: 'demographic' });
  await fields.define('trained_on', { field_type: 'date', sensitivity: 'payroll' });
  await fields.define('desk', { field_type: 'text' });
  await fields.define('secret', { api_access: 'hidden' });
}

describe('Id shapes: the prefix followed by three base64url segments separated by dots', () => {
  it.each<readonly [prefix: string, of: string, show: () => unknown]>([
    ['org_', 'organisation', () => samplesOf('/organisation')()[0]!['id']],
    ['cty_', 'country', () => (samplesOf('/organisation')()[0]!['country'] as Shown)['id']],
    ['loc_', 'location', () => samplesOf('/organisation/locations')()[0]!['id']],
    ['org_unit_', 'org unit', () => (samplesOf('/people')()[0]!['department'] as Shown)['id']],
    ['wp_', 'work place', () => (samplesOf('/people')()[0]!['work_place'] as Shown)['id']],
    ['wt_', 'work type', () => (samplesOf('/people')()[0]!['work_type'] as Shown)['id']],
    ['working_pattern_', 'working pattern', () => (samplesOf('/people')()[0]!['working_pattern'] as Shown)['id']],
    ['cfd_', 'custom-field definition', () => samplesOf('/custom-fields')()[0]!['id']],
    ['cfo_', 'custom-field option', () => optionsOf('shirt_size')[0]!['id']],
  ])('`%s` %s', (prefix, _, show) => expect([show(), id(prefix).accepts(show())]).toEqual([show(), true]));

  it('Person id: 12 characters from `0123456789abcdefghjkmnpqrstvwxyz`', () => {
    for (const { id: of } of samplesOf('/people')()) expect(of).toMatch(/^[0123456789abcdefghjkmnpqrstvwxyz]{12}$/);
  });
});

describeFields(
  'Organisation',
  [
    ['id', id('org_')],
    ['name', neverNull(string)],
    ['subdomain', neverNull(string)],
    ['country', neverNull(country)],
    ['plan', string],
    ['logo_url', orNull(string)],
    ['primary_color_light', orNull(string)],
    ['primary_color_dark', orNull(string)],
    ['created_at, updated_at', dateTime],
  ],
  samplesOf('/organisation'),
);

describeFields(
  'Organisation location (active locations only are listed)',
  [
    ['id', id('loc_')],
    ['label', string],
    ['address_line_1', string],
    ['address_line_2, address_line_3', orNull(string)],
    ['city, region_state, postal_code', string],
    ['country', country],
    ['capacity', orNull(integer(0))],
    ['is_active', boolean],
    ['created_at, updated_at', dateTime],
  ],
  samplesOf('/organisation/locations'),
);

it('Organisation location: active locations only are listed', () => {
  expect(samplesOf('/organisation/locations')().map(({ label, is_active }) => [label, is_active])).toEqual([
    ['One', true],
    ['Other', true],
  ]);
});

describeFields(
  'Person (default projection)',
  [
    ['id', personId],
    ['work_email', email],
    ['first_name, preferred_name, last_name', orNull(string)],
    ['display_name', string],
    ['staff_id, job_title', orNull(string)],
    ['department', orNull(object({ id: id('org_unit_'), name: string }))],
    ['manager', orNull(object({ id: personId, display_name: string }))],
    ['work_place', orNull(object({ id: id('wp_'), label: string }))],
    ['work_type', orNull(object({ id: id('wt_'), label: string }))],
    ['working_pattern', orNull(object({ id: id('working_pattern_'), label: string }))],
    ['contracted_weekly_minutes', orNull(integer(0, 10_080))],
    ['full_time_weekly_minutes', orNull(integer(1, 10_080))],
    ['fte', orNull(number)],
    ['status', neverNull(string)],
    ['start_date, end_date', orNull(date)],
    ['created_at, updated_at', dateTime],
  ],
  samplesOf('/people'),
);

it('Person: reads return an entity tag in the `Service-Resource-ETag` header (a standard `ETag` is also sent and may be weak)', async () => {
  const answer = await own.client.get(`/people/${whole}`);
  expect(tagOf(answer)).toMatch(/^"[^"]+"$/);
  expect(answer.headers.etag).toBe(`W/${tagOf(answer)}`);
});

describeFields(
  'Person personal profile (scope people:personal:read)',
  [
    ['person_id', personId],
    ['middle_names', orNull(string)],
    ['date_of_birth', orNull(date)],
    ['personal_email', orNull(email)],
    ['personal_phone_number, work_phone_number', orNull(string)],
    [
      'home_address',
      orNull(
        object({
          address_line_1: string,
          address_line_2: nullable(string),
          address_line_3: nullable(string),
          city: string,
          region_state: string,
          postal_code: string,
          country,
        }),
      ),
    ],
    ['updated_at', dateTime],
  ],
  samplesOf('/personal'),
);

describe('Person avatar metadata (scope people:avatar:read)', () => {
  const pictures = [pngPicture({ width: 7, height: 5 }), jpegPicture(7, 5), webpPicture(7, 5)];
  const avatars: Shown[] = [];

  beforeAll(async () => {
    for (const picture of pictures) {
      await setAvatar(api.services, context(), whole, picture);
      avatars.push(await read(`/people/${whole}/avatar`));
    }
  });

  describeFields(
    'in each content type',
    [
      ['person_id', personId],
      ['download_url', uri],
      ['expires_at', dateTime],
      ['content_type', oneOf('image/jpeg', 'image/png', 'image/webp')],
      ['byte_size', integer(1, 2_097_152)],
      ['width_px, height_px', neverNull(integer(1, 4_096))],
      ['updated_at', dateTime],
    ],
    () => avatars,
  );

  it('`image/jpeg`, `image/png` or `image/webp`, and the size, are those of the picture', () => {
    expect(
      avatars.map(({ content_type, byte_size, width_px, height_px }) => [content_type, byte_size, width_px, height_px]),
    ).toEqual(['image/png', 'image/jpeg', 'image/webp'].map((type, index) => [type, pictures[index]!.length, 7, 5]));
  });
});

const optionsOf = (key: string): readonly Shown[] =>
  samplesOf('/custom-fields')().find((field) => field['key'] === key)!['options'] as readonly Shown[];

describeFields(
  'Custom-field definition (person custom fields only)',
  [
    ['id', id('cfd_')],
    ['key', matching(/^[a-z][a-z0-9_]{1,63}$/)],
    ['label', string],
    ['description', orNull(string)],
    ['target_resource', oneOf('person')],
    ['field_type', oneOf('text', 'number', 'date', 'boolean', 'single_select')],
    ['sensitivity', oneOf('operational', 'personal', 'demographic', 'payroll')],
    ['api_access', oneOf('read', 'read_write')],
    ['display_order', integer(0)],
    // Ours, beyond the contract.
    ['is_required', boolean],
    ['options', { words: 'custom-field option[]', accepts: Array.isArray, hasNull: false }],
    ['created_at, updated_at', dateTime],
  ],
  samplesOf('/custom-fields'),
);

describeFields(
  'Custom-field option',
  [
    ['id', id('cfo_')],
    ['value', string],
    ['label', string],
    ['display_order', integer(0)],
  ],
  () => optionsOf('shirt_size'),
);

describe('Custom fields', () => {
  const write = (values: readonly object[]) => new CustomFieldActions(api, own).write(empty, values);
  const idOf = (key: string): unknown => samplesOf('/custom-fields')().find((field) => field['key'] === key)!['id'];

  it('definitions hidden from the API are omitted; every type, sensitivity and access is shown as it was set', () => {
    const set = samplesOf('/custom-fields')().map(({ key, field_type, sensitivity, api_access }) => [
      key,
      field_type,
      sensitivity,
      api_access,
    ]);
    expect(set.sort()).toEqual([
      ['desk', 'text', 'operational', 'read_write'],
      ['first_aider', 'boolean', 'demographic', 'read_write'],
      ['shirt_size', 'single_select', 'operational', 'read_write'],
      ['shoe_size', 'number', 'personal', 'read'],
      ['trained_on', 'date', 'payroll', 'read_write'],
    ]);
  });

  it('Single-select values are written by configured option value, not by label', async () => {
    expect((await write([{ field_id: idOf('shirt_size'), value: 'm' }])).status).toBe(200);
    expectError(await write([{ field_id: idOf('shirt_size'), value: 'Medium' }]), 400, 'invalid_request');
  });

  it('Definitions are managed in the product settings, never through the API', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expectError(await own.client.send(method, '/custom-fields', { body: {} }), 405, 'invalid_request');
  });

  it('an administrator sets each definition hidden, read-only or read/write for the API', async () => {
    expect((await write([{ field_id: idOf('desk'), value: '4' }])).status).toBe(200);
    expectError(await write([{ field_id: idOf('shoe_size'), value: 40 }]), 400, 'invalid_request');
  });
});

describe('Time-off record', () => {
  const record: Shown[] = [];

  beforeAll(async () => {
    const timeOff = new TimeOffActions(api, own);
    const body = { person_id: await timeOff.person(), category_id: await timeOff.category() };
    for (const [index, step] of ([null, 'approve', 'reject', 'cancel'] as const).entries()) {
      const { id: made } = await timeOff.create({
        ...body,
        start_date: `2026-03-0${index + 2}`,
        end_date: `2026-03-0${index + 2}`,
      });
      if (step !== null) await timeOff.do(made, step);
      record.push(await read(`/time-off/${made}`));
    }
  });

  it('Lists and items carry a human-readable `status` (for display) and `status_code`, one of `pending`, `approved`, `rejected`, `cancelled`', async () => {
    const told = (rows: readonly Shown[]): readonly unknown[] =>
      rows.map(({ status, status_code }) => [status, status_code]).sort();
    const all = [
      ['Approved', 'approved'],
      ['Cancelled', 'cancelled'],
      ['Pending', 'pending'],
      ['Rejected', 'rejected'],
    ];
    expect(told(record)).toEqual(all);
    expect(told(await read<readonly Shown[]>('/time-off?from=2026-03-01&to=2026-03-31'))).toEqual(all);
  });

  it('Notes, reasons and approval decisions are excluded from responses', () => {
    for (const one of record) {
      expect(
        Object.keys(one).filter((name) => /note|reason|decision|approve|reject|cancel|comment/.test(name)),
      ).toEqual([]);
      // What a day has under this name says whether it counts: a working day, a holiday or a day off.
      for (const { reason } of one['days'] as readonly Shown[])
        expect(['working_day', 'public_holiday', 'not_a_working_day']).toContain(reason);
    }
  });
});
