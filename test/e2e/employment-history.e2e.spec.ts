import { type ApiAnswer, expectError, tagOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Fact } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const TODAY = '2026-06-15';
const UNKNOWN_PERSON = '0123456789ab';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const record = (id: string, body: object, ifMatch?: string): Promise<ApiAnswer<Fact>> =>
  organisation.client.post<Fact>(
    `/people/${id}/employment-history`,
    { correction_reason: 'It was wrong.', ...body },
    { ifMatch },
  );

it('a change answers 404 for the person, then 404 for ids of the body, then 428, then 412, then 409', async () => {
  const { id } = await people.create({ start_date: '2024-01-01' });
  const patch = (to: string, body: object, ifMatch?: string): Promise<ApiAnswer> =>
    organisation.client.patch(`/people/${to}/employment`, body, { ifMatch });
  const [unknown, early] = [{ start_date: '2025-01-01', manager_id: UNKNOWN_PERSON }, { start_date: '2020-01-01' }];
  expectError(await patch(UNKNOWN_PERSON, unknown), 404, 'not_found');
  expectError(await patch(id, unknown), 404, 'not_found', 'manager_id');
  expectError(await patch(id, early), 428, 'precondition_required');
  expectError(await patch(id, early, '"t9.xxxxxxxx"'), 412, 'precondition_failed');
  expectError(await patch(id, early, await people.employmentTag(id)), 409, 'conflict', 'start_date');
});

describe('POST /people/{personId}/employment-history', () => {
  it('answers 404 naming corrects for a fact that is unknown, malformed or of another person', async () => {
    const [person, other] = [
      await people.create({ start_date: '2024-01-01' }),
      await people.create({ start_date: '2024-01-01' }),
    ];
    const foreign = (await people.facts(other.id))[0]!.fact_id;
    for (const corrects of [foreign, foreign.replace(/.{12}$/, 'AAAAAAAAAAAA'), 'nonsense']) {
      expectError(await record(person.id, { start_date: '2024-02-01', corrects }), 404, 'not_found', 'corrects');
    }
  });
});

describe('the entity tag of histories', () => {
  const get = (id: string, what: string, query: Readonly<Record<string, string | number>> = {}): Promise<ApiAnswer> =>
    organisation.client.get(`/people/${id}/${what}`, query);

  it('is that of the employment on every page of the facts and on every timeline, weak as ETag, and moves with every fact', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const { recorded_at: first } = (await people.facts(person.id))[0]!;
    const tags = new Set<string>();
    for (const action of [
      () => people.change(person.id, { start_date: '2024-02-01', job_title: 'B' }),
      () => people.correct(person.id, { start_date: '2024-02-01', job_title: 'B' }),
      () => people.end(person.id, '2027-01-01'),
    ]) {
      await action();
      const tag = await people.employmentTag(person.id);
      tags.add(tag);
      const page = await get(person.id, 'employment-history', { limit: 1 });
      const next = (page.json as { pagination: { next_cursor: string } }).pagination.next_cursor;
      const answers = [
        page,
        await get(person.id, 'employment-history', { limit: 1, cursor: next }),
        await get(person.id, 'timeline'),
        await get(person.id, 'timeline', { as_of: '2024-01-15' }),
        await get(person.id, 'timeline', { known_at: first }),
      ];
      expect(answers.map((answer) => [answer.status, tagOf(answer), answer.headers.etag])).toEqual(
        answers.map(() => [200, tag, `W/${tag}`]),
      );
    }
    expect(tags.size).toBe(3);
  });

  it('serves for the next write, and refuses one that has not seen a fact of unchanged terms', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const tag = tagOf(await get(person.id, 'employment-history'));
    const change = (ifMatch: string): Promise<ApiAnswer> =>
      organisation.client.patch(
        `/people/${person.id}/employment`,
        { start_date: '2024-03-01', job_title: 'A' },
        { ifMatch },
      );
    expect((await change(tag)).status).toBe(200);
    expectError(await change(tag), 412, 'precondition_failed');
    expect((await change(tagOf(await get(person.id, 'timeline')))).status).toBe(200);
  });
});
