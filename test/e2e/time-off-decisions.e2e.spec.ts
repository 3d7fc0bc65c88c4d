import { erasePerson } from '../support/people/erase-person.js';
import { type ApiAnswer, dataOf, expectError, type SendOptions } from '../support/api/http-client.js';
import { tagOf } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';
import { followLog } from '../support/follow-log.js';
import type { Schemas, TimeOff } from '../support/api/shapes.js';

type Decision = Schemas['DecisionResponse'];

const NOTE = 'Zanzibar is covered by the other team.';

let category: string;
let requested: TimeOff;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const timeOff = new TimeOffActions(api, organisation);

beforeAll(async () => {
  category = await timeOff.category();
});
beforeEach(async () => {
  requested = await timeOff.create({
    person_id: await timeOff.person(),
    category_id: category,
    start_date: '2026-03-02',
    end_date: '2026-03-04',
  });
});

const decide = (body: object, options?: SendOptions): Promise<ApiAnswer<Decision>> =>
  organisation.client.post<Decision>(`/time-off/${requested.id}/decisions`, body, options);
const decisions = async (id = requested.id): Promise<readonly Decision[]> =>
  dataOf(200, await organisation.client.get<readonly Decision[]>(`/time-off/${id}/decisions`, { with_notes: 'true' }));

describe('POST /time-off/{timeOffId}/decisions', () => {
  it.each([
    ['approved', ['time_off.approved', 'TimeOffApproved']],
    ['rejected', ['time_off.declined', 'TimeOffRejected']],
  ])('%s as the route of the contract does, with a note', async (decision, [, type]) => {
    const answer = await decide({ decision, note: NOTE });
    expect(dataOf(201, answer)).toMatchObject({
      decision,
      decided_by: { type: 'api_key', id: organisation.keyId, name: expect.any(String) as unknown },
      because: null,
      request_id: answer.headers['service-request-id'],
    });
    const read = await timeOff.get(requested.id);
    expect(dataOf(200, read).status_code).toBe(decision);
    expect(tagOf(answer)).toBe(tagOf(read));
    expect(await timeOff.eventsOf(requested.person.id)).toEqual(['TimeOffRequested', type]);
    expect((await decisions()).map((one) => [one.decision, one.note])).toEqual([
      ['requested', null],
      [decision, NOTE],
    ]);
  });

  it('decides without a note, and is refused once something was decided, by another tag, and for a note of two lines', async () => {
    const stale = tagOf(await timeOff.get(requested.id));
    for (const [body, field] of [
      [{ decision: 'cancelled' }, 'decision'],
      [{ decision: 'approved', note: 'one\ntwo' }, 'note'],
      [{ decision: 'approved', note: 'x'.repeat(501) }, 'note'],
      [{ decision: 'approved', note: '' }, 'note'],
      [{ note: NOTE }, 'decision'],
    ] as const) {
      expectError(await decide(body), 400, 'invalid_request', field);
    }
    expect((await decide({ decision: 'approved' })).status).toBe(201);
    expect((await decisions()).at(-1)).toMatchObject({ decision: 'approved', note: null });
    expectError(await decide({ decision: 'approved' }), 409, 'conflict', 'status_code');
    expectError(await decide({ decision: 'rejected' }, { ifMatch: stale }), 412, 'precondition_failed');
  });

  it('keeps the note out of records, lists, webhooks, receipts and rows, and forgets it with the person', async () => {
    dataOf(201, await decide({ decision: 'approved', note: NOTE }));
    const paths = [
      `/time-off/${requested.id}`,
      '/time-off',
      `/time-off?person_id=${requested.person.id}`,
      `/time-off/${requested.id}/decisions`,
    ];
    for (const path of paths) {
      expect((await organisation.client.send('GET', path)).text).not.toContain('Zanzibar');
    }
    const { rows } = await api.database.pool.query<{ found: boolean }>(
      `select coalesce(strpos(string_agg(e.data::text || e.metadata::text, ''), 'Zanzibar') > 0, false) as found from events e
       union all select coalesce(strpos(string_agg(r::text, ''), 'Zanzibar') > 0, false) from idempotency_receipts r
       union all select coalesce(strpos(string_agg(t::text, ''), 'Zanzibar') > 0, false) from time_off t`,
    );
    expect(rows.map(({ found }) => found)).toEqual([false, false, false]);
    await erasePerson(api.services, testContext(organisation.row.id), { person_id: requested.person.id, reason: null });
    expect((await decisions()).find(({ decision }) => decision === 'approved')!.note).toBeNull();
  });
});

describe('GET /time-off/{timeOffId}/decisions', () => {
  it('has every step of one record, and of no other', async () => {
    await timeOff.create({
      person_id: requested.person.id,
      category_id: category,
      start_date: '2026-05-05',
      end_date: '2026-05-05',
    });
    dataOf(200, await timeOff.patch(requested.id, { end_date: '2026-03-03' }));
    dataOf(201, await decide({ decision: 'approved', note: NOTE }));
    await timeOff.do(requested.id, 'cancel');
    expect((await decisions()).map(({ decision, because }) => [decision, because])).toEqual([
      ['requested', null],
      ['changed', null],
      ['approved', null],
      ['cancelled', 'requested'],
    ]);
  });

  it('says that an end of the employment has shortened or cancelled a record', async () => {
    const behind = await timeOff.create({
      person_id: requested.person.id,
      category_id: category,
      start_date: '2026-05-05',
      end_date: '2026-05-06',
    });
    await timeOff.people.end(requested.person.id, '2026-03-03');
    expect((await decisions()).map(({ decision, because }) => [decision, because])).toEqual([
      ['requested', null],
      ['shortened', null],
    ]);
    expect((await decisions(behind.id)).map(({ decision, because }) => [decision, because])).toEqual([
      ['requested', null],
      ['cancelled', 'employment_ended'],
    ]);
  });

  it('is not where what happened has notes from, and the audit report has them with its other values', async () => {
    dataOf(201, await decide({ decision: 'rejected', note: NOTE }));
    await followLog(api.services, api.database.pool);
    const query = { person_id: requested.person.id, type: 'TimeOffRejected' };
    const answer = await organisation.client.get<readonly object[]>('/activity', query);
    expect(dataOf(200, answer)).toHaveLength(1);
    expect(answer.text).not.toContain('Zanzibar');
    const report = (values: string) =>
      organisation.client.get('/audit/report', { person_id: requested.person.id, with_values: values });
    expect((await report('false')).text).not.toContain('Zanzibar');
    expect((await report('true')).text).toContain('Zanzibar');
  });
});
