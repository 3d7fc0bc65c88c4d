/**
 * Part 3 of the contract, "States and transitions", row by row in its order. The rows of webhooks and
 * deliveries are tried with webhooks.
 */
import { type ApiAnswer, dataOf, expectError, tagOf } from '../../support/api/http-client.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import type { Employment, Fact, Person, TimeOff } from '../../support/api/shapes.js';
import { TestApi } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import { personEvents, publicEvents } from '../../support/contract/public-events.js';

const TODAY = '2026-06-15';

let category: string;

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const own = api.organisationForSpec();
const people = new PeopleActions(own);
const timeOff = new TimeOffActions(api, own);

beforeAll(async () => {
  category = await timeOff.category();
});

const starter = (): Promise<Person> => people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
const post = (path: string, body: object, ifMatch?: string): Promise<ApiAnswer<Person>> =>
  own.client.post<Person>(path, body, { ifMatch });
const eventsOf = (id: string): Promise<readonly string[]> => personEvents(api, own, id);

describe('person', () => {
  it('active | POST /people/{personId}/end | `end_date` supplied; If-Match and Idempotency-Key required | ended | `person.ended` event', async () => {
    const person = await starter();
    expect(person.status).toBe('active');
    const [path, tag] = [`/people/${person.id}/end`, await people.personTag(person.id)];
    expectError(await post(path, {}, tag), 400, 'invalid_request', 'end_date');
    expectError(await post(path, { end_date: TODAY }), 428, 'precondition_required');
    expectError(
      await own.client.post(path, { end_date: TODAY }, { ifMatch: tag, idempotencyKey: null }),
      400,
      'idempotency_required',
    );
    expect(await eventsOf(person.id)).toEqual(['person.created']);
    expect(dataOf(200, await post(path, { end_date: TODAY }, tag))).toMatchObject({ status: 'ended', end_date: TODAY });
    expect(await eventsOf(person.id)).toEqual(['person.created', 'person.ended']);
    expectError(await post(path, { end_date: TODAY }, await people.personTag(person.id)), 409, 'conflict');
  });

  it('active | POST /people/{personId}/end | final day is inclusive', async () => {
    const personId = await timeOff.person();
    await people.end(personId, '2026-06-12');
    const request = (day: string): Promise<ApiAnswer> =>
      timeOff.post({ person_id: personId, category_id: category, start_date: day, end_date: day });
    expect((await request('2026-06-12')).status).toBe(201);
    expectError(await request('2026-06-16'), 409, 'conflict');
    const on = async (day: string): Promise<boolean> => (await people.timeline(personId, { as_of: day })).employed;
    expect([await on('2026-06-12'), await on('2026-06-13')]).toEqual([true, false]);
  });

  it('ended | POST /people/{personId}/reactivate | true rehire; new `start_date` after the prior period required | active | `person.reactivated` event', async () => {
    const person = await starter();
    const [path, reactivate] = [`/people/${person.id}/reactivate`, { start_date: '2026-05-01', job_title: 'Analyst' }];
    expectError(await post(path, reactivate, await people.personTag(person.id)), 409, 'conflict');
    await people.end(person.id, '2026-03-31');
    const tag = await people.personTag(person.id);
    expectError(await post(path, {}, tag), 400, 'invalid_request', 'start_date');
    for (const date of ['2026-03-31', '2025-01-01'])
      expectError(await post(path, { start_date: date }, tag), 409, 'conflict', 'start_date');
    expectError(await post(path, reactivate), 428, 'precondition_required');
    expectError(
      await own.client.post(path, reactivate, { ifMatch: tag, idempotencyKey: null }),
      400,
      'idempotency_required',
    );
    expect(await eventsOf(person.id)).toEqual(['person.created', 'person.ended']);
    const rehired = dataOf(200, await post(path, reactivate, tag));
    expect(rehired).toMatchObject({ status: 'active', start_date: '2026-05-01', end_date: null, job_title: 'Analyst' });
    expect(await eventsOf(person.id)).toEqual(['person.created', 'person.ended', 'person.reactivated']);
  });

  it('(new) | POST /people | safe setup fields | active starter record | no invite e-mail sent; `person.created` event', async () => {
    const person = dataOf(
      201,
      await own.client.post<Person>('/people', { work_email: newEmail(), start_date: '2026-09-01' }),
    );
    expect(person).toMatchObject({ status: 'active', start_date: '2026-09-01', end_date: null });
    // Nothing in the service sends mail: there is neither a setting nor a field for it.
    expectError(
      await own.client.post('/people', { work_email: newEmail(), send_invite: true }),
      400,
      'invalid_request',
      'send_invite',
    );
    expect(await eventsOf(person.id)).toEqual(['person.created']);
  });
});

describe('time-off record', () => {
  const WEEK = { start_date: '2026-07-06', end_date: '2026-07-10' };
  const events = (personId: string): Promise<readonly string[]> => publicEvents(api, own, ['time-off', personId]);

  it("| POST /time-off | no selected date overlaps the person's pending or approved standard time off | created | `time_off.created` event", async () => {
    const body = { person_id: await timeOff.person(), category_id: category };
    const first = await timeOff.create({ ...body, ...WEEK });
    await timeOff.create({ ...body, start_date: '2026-07-13', end_date: '2026-07-13' });
    expect(first).toMatchObject({ ...WEEK, status_code: 'pending' });
    expect(await events(body.person_id)).toEqual(['time_off.created', 'time_off.created']);
    await timeOff.do(first.id, 'cancel');
    expect((await timeOff.post({ ...body, ...WEEK })).status).toBe(201);
    const beside = await timeOff.category({ is_standard: false });
    expect((await timeOff.post({ ...body, ...WEEK, category_id: beside })).status).toBe(201);
  });

  it.each<[string, 'pending' | 'approved', (body: object, other: TimeOff) => Promise<ApiAnswer>]>([
    ['POST', 'pending', (body) => timeOff.post({ ...body, start_date: '2026-07-10', end_date: '2026-07-14' })],
    ['POST', 'approved', (body) => timeOff.post({ ...body, start_date: '2026-07-08', end_date: '2026-07-08' })],
    ['PATCH', 'pending', (_, other) => timeOff.patch(other.id, { start_date: '2026-07-10' })],
    ['PATCH', 'approved', (_, other) => timeOff.patch(other.id, { start_date: '2026-07-03' })],
  ])(
    '| %s /time-off | any selected date overlaps %s standard time off | unchanged | HTTP 409 `conflict`, content-free body',
    async (_, state, send) => {
      const body = { person_id: await timeOff.person(), category_id: category };
      const [standing, other] = [
        await timeOff.create({ ...body, ...WEEK }),
        await timeOff.create({ ...body, start_date: '2026-07-13', end_date: '2026-07-14' }),
      ];
      if (state === 'approved') await timeOff.do(standing.id, 'approve');
      const before = [await events(body.person_id), await timeOff.list({ person_id: body.person_id })];
      const refused = await send(body, other);
      expectError(refused, 409, 'conflict');
      for (const secret of [
        standing.id,
        standing.category.id,
        standing.category.label,
        standing.status,
        'pending',
        'approved',
        '2026-07',
      ])
        expect(refused.text).not.toContain(secret);
      expect([await events(body.person_id), await timeOff.list({ person_id: body.person_id })]).toEqual(before);
    },
  );
});

describe('Person ended and employment', () => {
  it('ending records an inclusive final day', async () => {
    const person = await starter();
    await people.end(person.id, '2026-03-31');
    expect(await people.employment(person.id)).toMatchObject({
      period_start_date: '2024-01-01',
      period_end_date: '2026-03-31',
    });
  });

  it('employment changes carry an effective `start_date`', async () => {
    const person = await starter();
    const patch = async (body: object): Promise<ApiAnswer<Employment>> =>
      own.client.patch<Employment>(`/people/${person.id}/employment`, body, {
        ifMatch: await people.employmentTag(person.id),
      });
    expectError(await patch({ job_title: 'Lead' }), 400, 'invalid_request', 'start_date');
    expect(dataOf(200, await patch({ job_title: 'Lead', start_date: '2026-02-01' }))).toMatchObject({
      job_title: 'Lead',
      effective_from: '2026-02-01',
    });
  });

  it('employment and history responses carry `timeline_version`, and their entity tags are bound to it', async () => {
    const person = await starter();
    const path = `/people/${person.id}`;
    const [before, current] = [
      await people.employment(person.id),
      await own.client.get<Employment>(`${path}/employment`),
    ];
    const fact = await own.client.post<Fact>(`${path}/employment-history`, {
      start_date: '2024-01-01',
      job_title: 'Analyst',
      correction_reason: 'Typed wrongly.',
    });
    expect([before.timeline_version, dataOf(201, fact).timeline_version]).toEqual([1, 2]);
    const after = await own.client.get<Employment>(`${path}/employment`);
    expect(after.json.data.timeline_version).toBe(2);
    expect([tagOf(fact), tagOf(after)]).toEqual([tagOf(after), tagOf(fact)]);
    expect(tagOf(after)).not.toBe(tagOf(current));
  });

  it('a stale write is rejected even when visible terms are unchanged', async () => {
    const person = await starter();
    const stale = await people.employmentTag(person.id);
    const shown = await people.employment(person.id);
    await people.change(person.id, { start_date: '2024-01-01', job_title: shown.job_title });
    expect((await people.employment(person.id)).job_title).toBe(shown.job_title);
    const path = `/people/${person.id}/employment`;
    expectError(
      await own.client.patch(path, { start_date: '2026-01-01', job_title: 'Lead' }, { ifMatch: stale }),
      412,
      'precondition_failed',
    );
  });

  it('History updates are factual corrections, need `correction_reason`, and return a new immutable fact', async () => {
    const person = await starter();
    const path = `/people/${person.id}/employment-history`;
    const [first] = await people.facts(person.id);
    const correction = { start_date: '2024-01-01', job_title: 'Analyst', corrects: first!.fact_id };
    expectError(await own.client.post(path, correction), 400, 'invalid_request', 'correction_reason');
    const fact = dataOf(201, await own.client.post<Fact>(path, { ...correction, correction_reason: 'Typed wrongly.' }));
    expect(fact).toMatchObject({
      action: 'correction',
      corrects: first!.fact_id,
      correction_reason: 'Typed wrongly.',
      timeline_version: 2,
    });
    const [kept, added] = await people.facts(person.id);
    expect([kept, added]).toEqual([{ ...first, corrected_by: fact.fact_id }, fact]);
    for (const method of ['PATCH', 'DELETE'])
      expectError(await own.client.send(method, `${path}/${fact.fact_id}`, { body: {} }), 404, 'not_found');
  });
});
