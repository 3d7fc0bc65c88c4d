/** Part 4 of the contract, "Endpoints", row by row in its order: meta and organisation, and people. */
import { setAvatar } from '#people/picture/avatar.api.js';
import { createLocation } from '#organisation/location/location.api.js';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import { SCOPES } from '#kernel/scopes.js';
import { CustomFieldActions } from '../../support/api/custom-fields.js';
import { type ApiAnswer, dataOf, expectError, tagOf } from '../../support/api/http-client.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import type { Employment, Fact, Person } from '../../support/api/shapes.js';
import { TestApi } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { testContext } from '../../support/command-services.js';
import { boolean, expectShape, id, list, object, oneOf, type Shown, string } from '../../support/contract/kinds.js';
import { personEvents, publicEvents } from '../../support/contract/public-events.js';
import {
  ADJUSTMENT,
  AVATAR,
  CUSTOM_FIELD_VALUES,
  EMPLOYMENT,
  FACT,
  LOCATION,
  ORGANISATION,
  PERSON,
  PERSONAL,
} from '../../support/contract/shapes.js';
import { expectCommonRules } from '../../support/contract/writes.js';
import { pngPicture } from '../../support/pictures.js';

let person: Person;

const api = TestApi.forSpec();
const own = api.organisationForSpec();
const people = new PeopleActions(own);

beforeEach(async () => {
  person = await people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
});

const context = () => testContext(own.row.id);
const get = <Data = Shown>(path: string, query = {}): Promise<ApiAnswer<Data>> => own.client.get<Data>(path, query);
const path = (tail = ''): string => `/people/${person.id}${tail}`;
const eventsOf = (): Promise<readonly string[]> => personEvents(api, own, person.id);

/** Expects both headers of an entity tag, the one strong and the other its weak twin. */
function expectTag(answer: ApiAnswer): void {
  expect(tagOf(answer)).toMatch(/^"[^"]+"$/);
  expect(answer.headers.etag).toBe(`W/${tagOf(answer)}`);
}

describe('Common rules', () => {
  it('Every call needs `Authorization: Bearer <API_KEY>`', async () => {
    expectError(await api.client(null).get(path()), 401, 'authentication_required');
    expectError(
      await api.client(null).get(path(), {}, { headers: { authorization: `Basic ${own.apiKey}` } }),
      401,
      'authentication_required',
    );
  });

  it('Writes need header `Idempotency-Key: <string>`. Writes to an existing person or employment also need `If-Match` from the latest read', async () => {
    const before = await get<Person>(path());
    const patch = (body: object, options: object) => own.client.patch(path(), body, options);
    const tried = { send: patch, body: { first_name: 'Ada' }, otherBody: { first_name: 'Grace' }, tag: tagOf(before) };
    expect(await expectCommonRules<Person>(tried, 200)).toMatchObject({ first_name: 'Ada' });
    expectError(await patch({ first_name: 'Grace' }, { ifMatch: tagOf(before) }), 412, 'precondition_failed');
  });
});

describe('Meta and organisation', () => {
  it('GET /me | valid key | data: organisation {id}, api_key {key_id, scopes[]}, environment {type, sandbox}, actor {type, key_id}', async () => {
    const scopes = ['people:read', 'mcp:write'] as const;
    const { apiKey, keyId } = await api.key(own.row, { scopes });
    const me = dataOf(200, await api.client(apiKey).get<Shown>('/me'));
    expectShape(
      {
        organisation: object({ id: id('org_') }),
        api_key: object({ key_id: string, scopes: list(oneOf(...SCOPES)) }),
        environment: object({ type: oneOf('live', 'sandbox'), sandbox: boolean }),
        actor: object({ type: oneOf('api_key'), key_id: string }),
      },
      me,
    );
    expect(me).toEqual({
      organisation: { id: own.row.id },
      api_key: { key_id: keyId, scopes: [...scopes] },
      environment: { type: 'live', sandbox: false },
      actor: { type: 'api_key', key_id: keyId },
    });
  });

  it('GET /metadata: see part-4-metadata', async () => {
    expect((await get('/metadata')).status).toBe(200);
  });

  it('GET /organisation | organisation:read | the Organisation object in data', async () => {
    const data = dataOf(200, await get('/organisation'));
    expectShape(ORGANISATION, data);
    expect(data).toMatchObject({
      id: own.row.id,
      subdomain: own.row.subdomain,
      plan: 'standard',
      country: { country_code: 'GB' },
    });
  });

  it('GET /organisation/locations | organisation:read | data: location[] (non-paginated)', async () => {
    const place = {
      address_line_1: '1',
      address_line_2: null,
      address_line_3: null,
      city: 'Oslo',
      region_state: '',
      postal_code: '',
      country_code: 'NO',
      capacity: null,
    };
    await createLocation(api.services, context(), { ...place, label: 'One' });
    const answer = await get<readonly Shown[]>('/organisation/locations');
    expect(Object.keys(answer.json)).toEqual(['data']);
    expectShape(LOCATION, ...dataOf(200, answer));
  });
});

describe('People', () => {
  it('GET /people | query: limit, cursor, updated_since, sort | paginated Person list', async () => {
    await people.create();
    const first = await get<readonly Person[]>('/people', {
      limit: 1,
      sort: 'updated_at_desc',
      updated_since: '1970-01-01T00:00:00Z',
    });
    expectShape(PERSON, ...dataOf(200, first));
    const second = await get('/people', {
      limit: 1,
      sort: 'updated_at_desc',
      updated_since: '1970-01-01T00:00:00Z',
      cursor: first.json.pagination.next_cursor,
    });
    expect(second.status).toBe(200);
    expect(second.text).not.toBe(first.text);
    for (const [name, value] of [
      ['limit', 0],
      ['limit', 201],
      ['cursor', 'x'],
      ['updated_since', 'x'],
      ['sort', 'x'],
      ['page', 1],
    ] as const) {
      expectError(await get('/people', { [name]: value }), 400, 'invalid_request', name);
    }
  });

  it('POST /people | body: work_email (required), first_name, last_name, job_title, start_date; Idempotency-Key | safe Person projection; event person.created', async () => {
    const body = {
      work_email: newEmail(),
      first_name: 'Ada',
      last_name: 'Byron',
      job_title: 'Engineer',
      start_date: '2024-03-01',
    };
    expectError(
      await own.client.post('/people', { ...body, work_email: undefined }),
      400,
      'invalid_request',
      'work_email',
    );
    const send = (of: object, options: object) => own.client.post('/people', of, options);
    const made = await expectCommonRules<Person>({ send, body, otherBody: { ...body, first_name: 'X' } }, 201);
    expectShape(PERSON, made);
    expect(made).toMatchObject({ ...body, display_name: 'Ada Byron', status: 'active' });
    expect(await personEvents(api, own, made.id)).toEqual(['person.created']);
    expectTag(await send({ ...body, work_email: newEmail() }, {}));
  });

  it('GET /people/{personId} | Person; returns entity tag headers', async () => {
    const answer = await get<Person>(path());
    expectShape(PERSON, dataOf(200, answer));
    expect(answer.json.data).toEqual(person);
    expectTag(answer);
  });

  it('PATCH /people/{personId} | identity-only fields; If-Match; Idempotency-Key | Person; event person.updated', async () => {
    const identity = {
      work_email: newEmail(),
      first_name: 'Augusta',
      preferred_name: 'Ada',
      last_name: 'Byron',
      staff_id: 'E-1',
    };
    const send = (of: object, options: object) => own.client.patch(path(), of, options);
    const tag = await people.personTag(person.id);
    for (const name of ['job_title', 'start_date', 'department_id', 'working_pattern_id'])
      expectError(await send({ [name]: null }, { ifMatch: tag }), 400, 'invalid_request', name);
    const changed = await expectCommonRules<Person>({ send, body: identity, otherBody: {}, tag }, 200);
    expectShape(PERSON, changed);
    expect(changed).toMatchObject(identity);
    expect(await eventsOf()).toEqual(['person.created', 'person.updated']);
    const read = await get<Person>(path());
    expect(read.json.data).toEqual(changed);
    expectTag(read);
  });

  it('POST /people/{personId}/end | body: end_date; If-Match; Idempotency-Key | Person; event person.ended', async () => {
    const send = (of: object, options: object) => own.client.post(path('/end'), of, options);
    const ended = await expectCommonRules<Person>(
      {
        send,
        body: { end_date: '2026-03-31' },
        otherBody: { end_date: '2026-04-01' },
        tag: await people.personTag(person.id),
      },
      200,
    );
    expectShape(PERSON, ended);
    expect(ended).toMatchObject({ id: person.id, status: 'ended', end_date: '2026-03-31' });
    expect(await eventsOf()).toEqual(['person.created', 'person.ended']);
  });

  it('POST /people/{personId}/reactivate | body: start_date (new, after prior period); If-Match; Idempotency-Key | Person; event person.reactivated', async () => {
    await people.end(person.id, '2026-03-31');
    const send = (of: object, options: object) => own.client.post(path('/reactivate'), of, options);
    const back = await expectCommonRules<Person>(
      {
        send,
        body: { start_date: '2026-05-01' },
        otherBody: { start_date: '2026-05-02' },
        tag: await people.personTag(person.id),
      },
      200,
    );
    expectShape(PERSON, back);
    expect(back).toMatchObject({ id: person.id, status: 'active', start_date: '2026-05-01', end_date: null });
    expect(await eventsOf()).toEqual(['person.created', 'person.ended', 'person.reactivated']);
  });

  it('GET /people/{personId}/employment | current employment with timeline_version and entity tag', async () => {
    const answer = await get<Employment>(path('/employment'));
    expectShape(EMPLOYMENT, dataOf(200, answer));
    expect(answer.json.data).toMatchObject({
      person_id: person.id,
      job_title: 'Engineer',
      effective_from: '2024-01-01',
      timeline_version: 1,
    });
    expectTag(answer);
  });

  it('PATCH /people/{personId}/employment | fields such as job_title, start_date (effective date required); If-Match; Idempotency-Key | employment', async () => {
    const send = (of: object, options: object) => own.client.patch(path('/employment'), of, options);
    const tag = await people.employmentTag(person.id);
    expectError(await send({ job_title: 'Lead' }, { ifMatch: tag }), 400, 'invalid_request', 'start_date');
    const body = { job_title: 'Lead', start_date: '2025-01-01' };
    const changed = await expectCommonRules<Employment>(
      { send, body, otherBody: { ...body, job_title: 'X' }, tag },
      200,
    );
    expectShape(EMPLOYMENT, changed);
    expect(changed).toMatchObject({ job_title: 'Lead', effective_from: '2025-01-01', timeline_version: 2 });
    expect(await eventsOf()).toEqual(['person.created', 'person.updated']);
  });

  it('POST /people/{personId}/employment-history | fields such as job_title, start_date (required); Idempotency-Key | new dated history fact', async () => {
    const send = (of: object, options: object) => own.client.post(path('/employment-history'), of, options);
    const body = { job_title: 'Analyst', start_date: '2024-02-01', correction_reason: 'Typed wrongly.' };
    expectError(await send({ ...body, start_date: undefined }, {}), 400, 'invalid_request', 'start_date');
    const fact = await expectCommonRules<Fact>({ send, body, otherBody: { ...body, job_title: 'X' } }, 201);
    expectShape({ ...FACT, job_title: string }, fact);
    expect(fact).toMatchObject({
      action: 'correction',
      effective_from: '2024-02-01',
      job_title: 'Analyst',
      timeline_version: 2,
    });
    expect(await eventsOf()).toEqual(['person.created', 'person.updated']);
  });

  it('GET /people/{personId}/personal | people:personal:read | personal profile', async () => {
    await changePersonalProfile(api.services, context(), person.id, { date_of_birth: '1988-12-10' });
    const answer = await get(path('/personal'));
    expectShape(PERSONAL, dataOf(200, answer));
    expect(answer.json.data).toMatchObject({ person_id: person.id, date_of_birth: '1988-12-10' });
  });

  it('GET /people/{personId}/avatar | people:avatar:read | avatar metadata', async () => {
    expectError(await get(path('/avatar')), 404, 'not_found');
    await setAvatar(api.services, context(), person.id, pngPicture());
    const avatar = dataOf(200, await get(path('/avatar')));
    expectShape(AVATAR, avatar);
    expect((await fetch(String(avatar['download_url']))).status).toBe(200);
  });

  it('GET /people/{personId}/custom-fields | custom_fields:read | person custom-field values', async () => {
    const { id: field } = await new CustomFieldActions(api, own).define('desk');
    const values = dataOf(200, await get(path('/custom-fields')));
    expectShape(CUSTOM_FIELD_VALUES, values);
    expect(values).toEqual({
      person_id: person.id,
      values: [{ field_id: field, key: 'desk', field_type: 'text', value: null, updated_at: null }],
    });
  });

  it('PATCH /people/{personId}/custom-fields | custom_fields:write | values for writable fields; If-Match; Idempotency-Key | values', async () => {
    const fields = new CustomFieldActions(api, own);
    const [writable, readOnly] = [await fields.define('locker'), await fields.define('badge', { api_access: 'read' })];
    const of = (field: string, value: string): object => ({ values: [{ field_id: field, value }] });
    const send = (body: object, options: object) => own.client.patch(path('/custom-fields'), body, options);
    const tag = tagOf(await get(path('/custom-fields')));
    expectError(await send(of(readOnly.id, '7'), { ifMatch: tag }), 400, 'invalid_request');
    const written = await expectCommonRules<Shown>(
      { send, body: of(writable.id, '7'), otherBody: of(writable.id, '8'), tag },
      200,
    );
    expectShape(CUSTOM_FIELD_VALUES, written);
    expect(written['values']).toContainEqual(expect.objectContaining({ key: 'locker', value: '7' }));
    expect(dataOf(200, await get(path('/custom-fields')))).toEqual(written);
  });

  it('POST /people/{personId}/time-off-balance/adjustments | time_off:balance:write | Idempotency-Key | adjustment; the target person id is part of the idempotency fingerprint', async () => {
    const category_id = await new TimeOffActions(api, own).category();
    const body = { category_id, amount_minutes: -450, effective_date: '2026-03-02', reason_code: 'payout' };
    const to = (personId: string) => (of: object, options: object) =>
      own.client.post(`/people/${personId}/time-off-balance/adjustments`, of, options);
    const adjustment = await expectCommonRules<Shown>(
      { send: to(person.id), body, otherBody: { ...body, amount_minutes: 1 } },
      201,
    );
    expectShape(ADJUSTMENT, adjustment);
    expect(adjustment).toMatchObject({
      person: { id: person.id },
      amount_minutes: -450,
      effective_date: '2026-03-02',
      reason_code: 'payout',
    });
    const idempotencyKey = `of-${person.id}`;
    expect((await to(person.id)(body, { idempotencyKey })).status).toBe(201);
    const other = await people.create({ start_date: '2024-01-01' });
    expectError(await to(other.id)(body, { idempotencyKey }), 409, 'idempotency_conflict');
    expect(await publicEvents(api, own, ['time-off-balance', other.id])).toEqual([]);
    expect(await api.services.store.readStream(`time-off-balance-${own.row.id}.${other.id}`)).toEqual([]);
  });

  it('Never accepted in people writes: compensation, bank details, tax or government identifiers, home contact data, dates of birth, demographics, notes, avatar or document bytes', async () => {
    const names = [
      'salary',
      'compensation',
      'bank_account',
      'iban',
      'tax_id',
      'national_insurance_number',
      'home_address',
      'personal_email',
      'personal_phone_number',
      'date_of_birth',
      'gender',
      'ethnicity',
      'notes',
      'avatar',
      'document',
    ];
    const forbidden = Object.fromEntries(names.map((name) => [name, 'x']));
    const correction = { start_date: '2025-01-01', correction_reason: 'X' };
    const refusals = [
      await own.client.post('/people', { work_email: newEmail(), ...forbidden }),
      await own.client.patch(path(), forbidden, { ifMatch: await people.personTag(person.id) }),
      await own.client.patch(
        path('/employment'),
        { start_date: '2025-01-01', ...forbidden },
        { ifMatch: await people.employmentTag(person.id) },
      ),
      await own.client.post(path('/employment-history'), { ...correction, ...forbidden }),
    ];
    for (const refused of refusals) {
      expectError(refused, 400, 'invalid_request');
      expect(refused.json.error.details!.map(({ field }) => field).sort()).toEqual([...names].sort());
    }
    expect(await eventsOf()).toEqual(['person.created']);
  });
});
