import { randomUUID } from 'node:crypto';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf, newEmail, PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';

const TODAY = '2026-06-15';
const UNKNOWN_PERSON = '0123456789ab';

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;

beforeAll(async () => {
  api = await TestApi.start({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
  organisation = await api.organisation();
  people = new PeopleActions(organisation.client);
});

afterAll(() => api.stop());

const post = (body: object, idempotencyKey?: string | null): Promise<ApiAnswer<Person>> =>
  organisation.client.post<Person>('/people', body, idempotencyKey === undefined ? {} : { idempotencyKey });

describe('Idempotency-Key', () => {
  it('replays the first answer byte for byte, also after the person has changed', async () => {
    const [key, body] = [randomUUID(), { work_email: newEmail(), first_name: 'Ada' }];
    const first = await post(body, key);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    await people.identity(first.json.data.id, { first_name: 'Grace' });
    for (const spelling of [key, `"${key}"`]) {
      const again = await post({ first_name: 'Ada', work_email: body.work_email }, spelling);
      expect([again.status, again.text, tagOf(again), again.headers['idempotent-replayed']]).toEqual([
        201,
        first.text,
        tagOf(first),
        'true',
      ]);
    }
  });

  it('answers 409 idempotency_conflict for another body, another route and another person', async () => {
    const key = randomUUID();
    const person = dataOf(201, await post({ work_email: newEmail() }, key));
    expectError(await post({ work_email: newEmail() }, key), 409, 'idempotency_conflict');
    const elsewhere = await organisation.client.patch(
      `/people/${person.id}`,
      { first_name: 'A' },
      { idempotencyKey: key, ifMatch: await people.personTag(person.id) },
    );
    expectError(elsewhere, 409, 'idempotency_conflict');
    const [one, other] = [await people.create(), await people.create()];
    const patchKey = randomUUID();
    const patch = async (id: string): Promise<ApiAnswer> =>
      organisation.client.patch(
        `/people/${id}`,
        { first_name: 'A' },
        { idempotencyKey: patchKey, ifMatch: await people.personTag(id) },
      );
    expect((await patch(one.id)).status).toBe(200);
    expectError(await patch(other.id), 409, 'idempotency_conflict');
  });

  it('stores domain 404 and 409 and replays them as they were, request id included', async () => {
    const email = newEmail();
    const holder = await people.create({ work_email: email });
    for (const [body, status] of [
      [{ work_email: email }, 409],
      [{ work_email: newEmail(), manager_id: UNKNOWN_PERSON }, 404],
    ] as const) {
      const key = randomUUID();
      const refused = await post(body, key);
      expect(refused.status).toBe(status);
      await people.identity(holder.id, { work_email: newEmail() });
      const again = await post(body, key);
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([status, refused.text, 'true']);
    }
  });

  it('does not store 400, 412 and 428: the same key may be used once they are mended', async () => {
    const key = randomUUID();
    expectError(await post({ work_email: 'nobody' }, key), 400, 'invalid_request', 'work_email');
    const person = dataOf(201, await post({ work_email: newEmail() }, key));
    const patchKey = randomUUID();
    const patch = (ifMatch?: string): Promise<ApiAnswer> =>
      organisation.client.patch(`/people/${person.id}`, { first_name: 'A' }, { idempotencyKey: patchKey, ifMatch });
    expectError(await patch(), 428, 'precondition_required');
    expectError(await patch('"stale"'), 412, 'precondition_failed');
    expectError(await patch('stale'), 400, 'invalid_request', 'If-Match');
    expect((await patch(await people.personTag(person.id))).status).toBe(200);
  });

  it('is required (400 idempotency_required), and 1 to 255 visible ASCII characters long', async () => {
    expectError(await post({ work_email: newEmail() }, null), 400, 'idempotency_required');
    expectError(await post({ work_email: newEmail() }, 'a b'), 400, 'invalid_request', 'Idempotency-Key');
    expectError(await post({ work_email: newEmail() }, 'x'.repeat(256)), 400, 'invalid_request', 'Idempotency-Key');
    expect((await post({ work_email: newEmail() }, randomUUID().padEnd(255, 'x'))).status).toBe(201);
  });

  it('is bound to the API key: another key of the organisation has keys of its own', async () => {
    const key = randomUUID();
    const body = { work_email: newEmail() };
    expect((await post(body, key)).status).toBe(201);
    const second = api.client((await api.key(organisation.row)).apiKey);
    expectError(await second.post('/people', body, { idempotencyKey: key }), 409, 'conflict', 'work_email');
  });

  it('keeps no answer whose row could not be written, and writes the row when the request is repeated', async () => {
    const person = await people.create();
    const [key, ifMatch] = [randomUUID(), await people.personTag(person.id)];
    const body = { first_name: 'Grace', work_email: newEmail() };
    const patch = (): Promise<ApiAnswer<Person>> =>
      organisation.client.patch<Person>(`/people/${person.id}`, body, { idempotencyKey: key, ifMatch });
    const { pool } = api.database;
    await pool.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = 'disk_full'; end $$`,
    );
    await pool.query('create trigger refusing before update on people for each row execute function refuse()');
    expectError(await patch(), 503, 'internal_error');
    expect((await pool.query('select from idempotency_receipts where idempotency_key = $1', [key])).rowCount).toBe(0);
    await pool.query('drop trigger refusing on people');
    const answer = await patch();
    expect([answer.status, answer.json.data.first_name]).toEqual([200, 'Grace']);
    expect(dataOf(200, await organisation.client.get<Person>(`/people/${person.id}`))).toEqual(answer.json.data);
    expect((await patch()).headers['idempotent-replayed']).toBe('true');
  });
});
