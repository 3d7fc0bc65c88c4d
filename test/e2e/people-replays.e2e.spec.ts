import { randomUUID } from 'node:crypto';
import { type ApiAnswer, dataOf, expectError } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const TODAY = '2026-06-15';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const post = (body: object, idempotencyKey?: string | null): Promise<ApiAnswer<Person>> =>
  organisation.client.post<Person>('/people', body, idempotencyKey === undefined ? {} : { idempotencyKey });

describe('Idempotency-Key', () => {
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
