/**
 * Part 2 of the contract, "Resources and their fields", row by row in its order. Fields that the contract
 * leaves open are tried with their routes, in part 4; so are those of webhook endpoints and deliveries.
 */
import { setAvatar } from '#people/picture/avatar.api.js';
import { commandLocation, createLocation } from '#organisation/location/location.api.js';
import { setOrganisation } from '#organisation/organisation/organisation.api.js';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import { CustomFieldActions } from '../../support/api/custom-fields.js';
import { dataOf, expectError, tagOf } from '../../support/api/http-client.js';
import { PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { testContext } from '../../support/command-services.js';
import { describeFields, id, type Shown } from '../../support/contract/kinds.js';
import {
  AVATAR,
  CUSTOM_FIELD,
  CUSTOM_FIELD_OPTION,
  LOCATION,
  ORGANISATION,
  PERSON,
  PERSONAL,
} from '../../support/contract/shapes.js';
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

describeFields('Organisation', ORGANISATION, samplesOf('/organisation'));

describeFields(
  'Organisation location (active locations only are listed)',
  LOCATION,
  samplesOf('/organisation/locations'),
);

it('Organisation location: active locations only are listed', () => {
  expect(samplesOf('/organisation/locations')().map(({ label, is_active }) => [label, is_active])).toEqual([
    ['One', true],
    ['Other', true],
  ]);
});

describeFields('Person (default projection)', PERSON, samplesOf('/people'));

it('Person: reads return an entity tag in the `Service-Resource-ETag` header (a standard `ETag` is also sent and may be weak)', async () => {
  const answer = await own.client.get(`/people/${whole}`);
  expect(tagOf(answer)).toMatch(/^"[^"]+"$/);
  expect(answer.headers.etag).toBe(`W/${tagOf(answer)}`);
});

describeFields('Person personal profile (scope people:personal:read)', PERSONAL, samplesOf('/personal'));

describe('Person avatar metadata (scope people:avatar:read)', () => {
  const pictures = [pngPicture({ width: 7, height: 5 }), jpegPicture(7, 5), webpPicture(7, 5)];
  const avatars: Shown[] = [];

  beforeAll(async () => {
    for (const picture of pictures) {
      await setAvatar(api.services, context(), whole, picture);
      avatars.push(await read(`/people/${whole}/avatar`));
    }
  });

  describeFields('in each content type', AVATAR, () => avatars);

  it('`image/jpeg`, `image/png` or `image/webp`, and the size, are those of the picture', () => {
    expect(
      avatars.map(({ content_type, byte_size, width_px, height_px }) => [content_type, byte_size, width_px, height_px]),
    ).toEqual(['image/png', 'image/jpeg', 'image/webp'].map((type, index) => [type, pictures[index]!.length, 7, 5]));
  });
});

const optionsOf = (key: string): readonly Shown[] =>
  samplesOf('/custom-fields')().find((field) => field['key'] === key)!['options'] as readonly Shown[];

describeFields('Custom-field definition (person custom fields only)', CUSTOM_FIELD, samplesOf('/custom-fields'));

describeFields('Custom-field option', CUSTOM_FIELD_OPTION, () => optionsOf('shirt_size'));

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
