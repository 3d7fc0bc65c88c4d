import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import type { Fact } from '../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';

const TODAY = '2026-06-15';

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;

beforeAll(async () => {
  api = await TestApi.start({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
  organisation = await api.organisation();
  people = new PeopleActions(organisation.client);
});

afterAll(() => api.stop());

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

  it('needs a start_date and a reason (400)', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    expectError(await record(person.id, {}), 400, 'invalid_request', 'start_date');
    for (const reason of [undefined, null, '', '   ', 'x'.repeat(1_001), 7]) {
      expectError(
        await record(person.id, { start_date: '2024-06-01', correction_reason: reason }),
        400,
        'invalid_request',
        'correction_reason',
      );
    }
  });

  it('honours If-Match where it is sent: 412 for a stale one, 400 for one without quotes', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    const tag = await people.employmentTag(person.id);
    expect((await record(person.id, { start_date: '2024-02-01' }, tag)).status).toBe(201);
    expectError(await record(person.id, { start_date: '2024-02-01' }, tag), 412, 'precondition_failed');
    expectError(await record(person.id, { start_date: '2024-02-01' }, 't2'), 400, 'invalid_request', 'If-Match');
    expect((await record(person.id, { start_date: '2024-02-01' })).status).toBe(201);
  });

  it('reaches former periods, and answers 409 for dates outside every period', async () => {
    const person = await people.create({ start_date: '2020-01-01', job_title: 'A' });
    await people.end(person.id, '2021-12-31');
    await people.reactivate(person.id, { start_date: '2023-01-01', job_title: 'B' });
    await people.correct(person.id, { start_date: '2021-06-01', job_title: 'A2' });
    expect(await titles(person.id)).toEqual([
      ['2020-01-01', '2021-06-01', 'A'],
      ['2021-06-01', '2022-01-01', 'A2'],
      ['2022-01-01', '2023-01-01', null],
      ['2023-01-01', null, 'B'],
    ]);
    for (const date of ['2019-12-31', '2022-01-01', '2022-12-31'])
      expectError(await record(person.id, { start_date: date }), 409, 'conflict', 'start_date');
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

  it('may be corrected itself, and so on; a fact that is superseded may not be corrected again (409)', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    await people.change(person.id, { start_date: '2024-06-01', job_title: 'B' });
    let corrects = (await people.facts(person.id))[1]!.fact_id;
    const chain = [corrects];
    for (const job_title of ['C', 'D', 'E']) {
      corrects = (await people.correct(person.id, { start_date: '2024-06-01', job_title, corrects })).fact_id;
      chain.push(corrects);
    }
    for (const superseded of chain.slice(0, -1)) {
      expectError(
        await record(person.id, { start_date: '2024-06-01', corrects: superseded }),
        409,
        'conflict',
        'corrects',
      );
    }
    expect(await titles(person.id)).toEqual([
      ['2024-01-01', '2024-06-01', 'A'],
      ['2024-06-01', null, 'E'],
    ]);
    expect((await people.facts(person.id)).map(({ corrected_by }) => corrected_by)).toEqual([
      null,
      chain[1],
      chain[2],
      chain[3],
      null,
    ]);
  });

  it('moves the start of the first period, earlier and later', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const start = (await people.facts(person.id))[0]!.fact_id;
    const earlier = await people.correct(person.id, { start_date: '2023-01-01', job_title: 'A', corrects: start });
    expect(await people.person(person.id)).toMatchObject({ start_date: '2023-01-01', job_title: 'A' });
    await people.change(person.id, { start_date: '2023-06-01', job_title: 'B' });
    await people.correct(person.id, { start_date: '2025-01-01', job_title: 'A', corrects: earlier.fact_id });
    expect(await titles(person.id)).toEqual([['2025-01-01', null, 'A']]);
    expect(await people.employment(person.id)).toMatchObject({ period_start_date: '2025-01-01', job_title: 'A' });
  });

  it('gives an undated start its date', async () => {
    const person = await people.create({ job_title: 'A' });
    const start = (await people.facts(person.id))[0]!;
    expect(start).toMatchObject({ action: 'start', effective_from: null });
    await people.correct(person.id, { start_date: '2024-01-01', job_title: 'A', corrects: start.fact_id });
    expect(await titles(person.id)).toEqual([['2024-01-01', null, 'A']]);
  });

  it('moves the final day of an end, which names no terms (400), within its period and before the next one (409)', async () => {
    const person = await people.create({ start_date: '2020-01-01', job_title: 'A' });
    await people.end(person.id, '2021-12-31');
    await people.reactivate(person.id, { start_date: '2023-01-01', job_title: 'B' });
    const end = (await people.facts(person.id))[1]!.fact_id;
    expectError(
      await record(person.id, { start_date: '2021-06-30', job_title: 'X', corrects: end }),
      400,
      'invalid_request',
      'job_title',
    );
    for (const date of ['2019-12-31', '2023-01-01'])
      expectError(await record(person.id, { start_date: date, corrects: end }), 409, 'conflict', 'start_date');
    await people.correct(person.id, { start_date: '2021-06-30', corrects: end });
    expect((await titles(person.id))[1]).toEqual(['2021-07-01', '2023-01-01', null]);
    const moved = (await people.facts(person.id))[3]!.fact_id;
    await people.correct(person.id, { start_date: '2022-12-31', corrects: moved });
    expect(await titles(person.id)).toEqual([
      ['2020-01-01', '2023-01-01', 'A'],
      ['2023-01-01', null, 'B'],
    ]);
  });

  it('moves the start of a later period, after the final day of the prior one only (409)', async () => {
    const person = await people.create({ start_date: '2020-01-01', job_title: 'A' });
    await people.end(person.id, '2021-12-31');
    await people.reactivate(person.id, { start_date: '2023-01-01', job_title: 'B' });
    const back = (await people.facts(person.id))[2]!.fact_id;
    expectError(await record(person.id, { start_date: '2021-12-31', corrects: back }), 409, 'conflict', 'start_date');
    await people.correct(person.id, { start_date: '2022-01-01', job_title: 'B', corrects: back });
    expect(await titles(person.id)).toEqual([
      ['2020-01-01', '2022-01-01', 'A'],
      ['2022-01-01', null, 'B'],
    ]);
  });

  it('ranks by its own place in the stream among facts of one day', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    await people.change(person.id, { start_date: '2024-06-01', job_title: 'B' });
    const first = (await people.facts(person.id))[1]!.fact_id;
    await people.change(person.id, { start_date: '2024-06-01', job_title: 'C' });
    expect((await people.employment(person.id)).job_title).toBe('C');
    await people.correct(person.id, { start_date: '2024-06-01', job_title: 'D', corrects: first });
    expect((await people.employment(person.id)).job_title).toBe('D');
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
