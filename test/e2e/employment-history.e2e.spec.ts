import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import type { Fact } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const TODAY = '2026-06-15';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const record = (id: string, body: object, ifMatch?: string): Promise<ApiAnswer<Fact>> =>
  organisation.client.post<Fact>(
    `/people/${id}/employment-history`,
    { correction_reason: 'It was wrong.', ...body },
    { ifMatch },
  );

/** The timeline as `[from, to, title]`, null for a title in a gap. */
async function titles(id: string): Promise<readonly (readonly [string | null, string | null, string | null])[]> {
  const { segments } = await people.timeline(id);
  return segments.map(({ effective_from, effective_to, job_title }) => [effective_from, effective_to, job_title]);
}

describe('POST /people/{personId}/employment-history', () => {
  it('answers 201 with the fact and the entity tags of the employment, which the next write may use', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    const answer = await record(person.id, { start_date: '2024-06-01', job_title: 'B' });
    expect(dataOf(201, answer)).toMatchObject({
      action: 'correction',
      correction_reason: 'It was wrong.',
      timeline_version: 2,
    });
    expect(tagOf(answer)).toBe(await people.employmentTag(person.id));
  });

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

describe('a correction that replaces a fact', () => {
  it('replaces it wholly and may move its date; both stay readable', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    await people.change(person.id, { start_date: '2024-06-01', job_title: 'B', contracted_weekly_minutes: 100 });
    const wrong = (await people.facts(person.id))[1]!;
    const right = await people.correct(person.id, {
      start_date: '2024-07-01',
      job_title: 'C',
      corrects: wrong.fact_id,
    });
    expect(right).toMatchObject({ action: 'correction', corrects: wrong.fact_id, corrected_by: null });
    expect(await titles(person.id)).toEqual([
      ['2024-01-01', '2024-07-01', 'A'],
      ['2024-07-01', null, 'C'],
    ]);
    expect((await people.employment(person.id)).contracted_weekly_minutes).toBeNull();
    expect((await people.facts(person.id))[1]).toEqual({ ...wrong, corrected_by: right.fact_id });
  });
});

describe('GET /people/{personId}/employment-history', () => {
  it('lists every fact, newest first, in pages, under a cursor of its own person', async () => {
    const [person, other] = [
      await people.create({ start_date: '2024-01-01' }),
      await people.create({ start_date: '2024-01-01' }),
    ];
    for (const month of ['02', '03', '04', '05'])
      await people.correct(person.id, { start_date: `2024-${month}-01`, job_title: month });
    const whole = dataOf(
      200,
      await organisation.client.get<readonly Fact[]>(`/people/${person.id}/employment-history`),
    );
    expect(whole.map(({ timeline_version }) => timeline_version)).toEqual([5, 4, 3, 2, 1]);
    expect(await people.all<Fact>(`/people/${person.id}/employment-history`, { limit: 2 })).toEqual(whole);
    const { next_cursor: cursor } = (
      await organisation.client.get(`/people/${person.id}/employment-history`, { limit: 2 })
    ).json.pagination;
    expectError(
      await organisation.client.get(`/people/${other.id}/employment-history`, { cursor: cursor! }),
      400,
      'invalid_request',
      'cursor',
    );
    expectError(
      await organisation.client.get(`/people/${person.id}/employment-history`, { limit: 201 }),
      400,
      'invalid_request',
      'limit',
    );
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
