import { runEffectiveDateJob } from '#people/timeline/effective-date-job.js';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { CHANGE_FIELDS, type Employment, type Person, SEGMENT_FIELDS, type Timeline } from '../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';

let now = new Date('2026-06-15T12:00:00Z');
const clock = { now: () => now };

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;

beforeAll(async () => {
  api = await TestApi.start({ clock });
  organisation = await api.organisation();
  people = new PeopleActions(organisation.client);
});

afterAll(() => api.stop());

/** The time at which the newest fact of a person was recorded. */
async function lastRecorded(id: string): Promise<string> {
  return (await people.facts(id)).at(-1)!.recorded_at;
}

const shifted = (time: string, milliseconds: number): string => new Date(Date.parse(time) + milliseconds).toISOString();

describe('GET /people/{personId}/timeline', () => {
  it('has exactly these fields: whole, on a day, and compared', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const created = await lastRecorded(person.id);
    const fact = await people.correct(person.id, { start_date: '2024-06-01', job_title: 'B' });
    const whole = await people.timeline(person.id);
    expect(Object.keys(whole).sort()).toEqual(['known_at', 'person_id', 'segments', 'timeline_version']);
    expect(Object.keys(whole.segments[1]!).sort()).toEqual([...SEGMENT_FIELDS].sort());
    expect(whole.segments[1]).toMatchObject({
      fact_id: fact.fact_id,
      recorded_at: fact.recorded_at,
      actor: { type: 'api_key', id: organisation.keyId },
      correction_reason: 'It was recorded wrongly.',
      corrects: null,
    });
    const again = await people.correct(person.id, { start_date: '2024-06-01', job_title: 'C', corrects: fact.fact_id });
    expect((await people.timeline(person.id)).segments[1]).toMatchObject({
      fact_id: again.fact_id,
      corrects: fact.fact_id,
    });
    const onDay = await people.timeline(person.id, { as_of: '2024-07-01' });
    expect(Object.keys(onDay).sort()).toEqual([
      'as_of',
      'employed',
      'known_at',
      'person_id',
      'segment',
      'timeline_version',
    ]);
    const compared = await people.timeline(person.id, { compare_known_at: created });
    expect(Object.keys(compared).sort()).toEqual(['changes', 'known_at', 'person_id', 'segments', 'timeline_version']);
    expect(Object.keys(compared.changes[0]!).sort()).toEqual([...CHANGE_FIELDS].sort());
  });

  it('answers as_of at the borders: before the first day (segment null), the final day (inclusive), the gap, the rehire', async () => {
    const person = await people.create({ start_date: '2020-01-01', job_title: 'A' });
    await people.end(person.id, '2020-12-31');
    await people.reactivate(person.id, { start_date: '2022-01-01', job_title: 'B' });
    const at = async (day: string): Promise<unknown> => {
      const { as_of, employed, segment } = await people.timeline(person.id, { as_of: day });
      expect(as_of).toBe(day);
      return [employed, segment === null ? 'none' : segment.job_title];
    };
    expect(await at('2019-12-31')).toEqual([false, 'none']);
    expect(await at('2020-01-01')).toEqual([true, 'A']);
    expect(await at('2020-12-31')).toEqual([true, 'A']);
    expect(await at('2021-01-01')).toEqual([false, null]);
    expect(await at('2021-12-31')).toEqual([false, null]);
    expect(await at('2022-01-01')).toEqual([true, 'B']);
    expect(await at('9998-12-31')).toEqual([true, 'B']);
  });

  it('shows a day again as it is by then, whoever changed what it shows, and as a read of the same moment that keeps no text does', async () => {
    const unit = dataOf(201, await organisation.client.post<{ id: string }>('/org-units', { name: 'Research' })).id;
    const [boss, other] = await Promise.all(
      ['Zoe', 'Yan'].map((first_name) => people.create({ first_name, start_date: '2010-01-01' })),
    );
    const person = await people.create({ start_date: '2020-01-01', department_id: unit, manager_id: boss!.id });
    const [first] = await people.facts(person.id);
    const days = ['2019-12-31', '2020-01-01', '2020-07-31', '2020-08-01', '2021-06-30', '2021-07-01', '2023-01-01'];
    const read = async (
      query: Readonly<Record<string, string>>,
    ): Promise<{ readonly shown: object; readonly tag: string }> => {
      const answer = await organisation.client.get<Timeline>(`/people/${person.id}/timeline`, query);
      return { shown: { ...dataOf(200, answer), known_at: null }, tag: tagOf(answer) };
    };
    for (const change of [
      () => people.identity(boss!.id, { first_name: 'Zora' }),
      () => people.identity(boss!.id, { first_name: 'Zoe' }),
      () => organisation.client.patch(`/org-units/${unit}`, { name: 'Science' }),
      () => people.change(person.id, { start_date: '2020-08-01', manager_id: other!.id, job_title: 'Head' }),
      () => people.identity(other!.id, { last_name: 'Young' }),
      () => people.identity(boss!.id, { last_name: 'Zuse' }),
      () => people.correct(person.id, { start_date: '2020-01-01', job_title: 'Aide', corrects: first!.fact_id }),
      () => people.end(person.id, '2021-06-30'),
    ]) {
      await change();
      const instant = new Date().toISOString();
      for (const as_of of [...days, ...days]) {
        expect(await read({ as_of })).toEqual(await read({ as_of, known_at: instant }));
      }
    }
  });

  it('ends with an open gap for an ended person, and is empty for one without any date', async () => {
    const ended = await people.create({ start_date: '2020-01-01' });
    await people.end(ended.id, '2020-12-31');
    expect((await people.timeline(ended.id)).segments.at(-1)).toMatchObject({
      employed: false,
      effective_from: '2021-01-01',
      effective_to: null,
      fte: null,
    });
    const undated = await people.create({ job_title: 'A' });
    expect(await people.timeline(undated.id)).toMatchObject({ timeline_version: 1, segments: [] });
  });

  it('takes known_at as inclusive to the millisecond, and shows what was known then', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    await people.change(person.id, { start_date: '2024-06-01', job_title: 'B' });
    const recorded = await lastRecorded(person.id);
    const atThatTime = await people.timeline(person.id, { known_at: recorded });
    expect(atThatTime).toMatchObject({ known_at: recorded, timeline_version: 2 });
    expect(atThatTime.segments.map(({ job_title }) => job_title)).toEqual(['A', 'B']);
    const before = await people.timeline(person.id, { known_at: shifted(recorded, -1) });
    expect(before.timeline_version).toBe(1);
    expect(before.segments.map(({ job_title, effective_to }) => [job_title, effective_to])).toEqual([['A', null]]);
    expect(await people.timeline(person.id, { known_at: shifted(recorded, -1), as_of: '2024-07-01' })).toMatchObject({
      segment: { job_title: 'A' },
    });
  });

  it('knows nothing before the person was created: version 0, no segment', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    expect(await people.timeline(person.id, { known_at: '2020-01-01T00:00:00Z' })).toEqual({
      person_id: person.id,
      timeline_version: 0,
      known_at: '2020-01-01T00:00:00.000Z',
      segments: [],
    });
    expect(await people.timeline(person.id, { known_at: '2020-01-01T00:00:00Z', as_of: '2024-05-01' })).toMatchObject({
      employed: false,
      segment: null,
    });
  });

  it('compares two moments: each field that differs, over maximal intervals, whatever its type, before is the earlier one', async () => {
    const {
      other_department_id: department_id,
      work_place_id,
      work_type_id,
      working_pattern_id,
    } = organisation.references;
    const [manager, person] = [
      await people.create({ first_name: 'Grace' }),
      await people.create({ start_date: '2024-01-01', job_title: 'A' }),
    ];
    const created = await lastRecorded(person.id);
    const terms = {
      job_title: 'B',
      department_id,
      manager_id: manager.id,
      work_place_id,
      work_type_id,
      working_pattern_id,
      contracted_weekly_minutes: 100,
    };
    const fact = await people.correct(person.id, { start_date: '2024-06-01', ...terms });
    const { changes } = await people.timeline(person.id, { compare_known_at: created });
    const common = {
      effective_from: '2024-06-01',
      effective_to: null,
      fact_id: fact.fact_id,
      recorded_at: fact.recorded_at,
    };
    expect(changes).toEqual([
      { ...common, field: 'job_title', before: 'A', after: 'B' },
      { ...common, field: 'department', before: null, after: { id: department_id, name: 'Sales' } },
      { ...common, field: 'manager', before: null, after: { id: manager.id, display_name: 'Grace' } },
      { ...common, field: 'work_place', before: null, after: { id: work_place_id, label: 'London' } },
      { ...common, field: 'work_type', before: null, after: { id: work_type_id, label: 'Full-time' } },
      { ...common, field: 'working_pattern', before: null, after: { id: working_pattern_id, label: 'Weekdays' } },
      { ...common, field: 'contracted_weekly_minutes', before: null, after: 100 },
    ]);
    const turned = await people.timeline(person.id, { known_at: created, compare_known_at: fact.recorded_at });
    expect(turned).toMatchObject({ timeline_version: 1, changes });
    expect((await people.timeline(person.id, { known_at: created, compare_known_at: created })).changes).toEqual([]);
  });

  it('compares whether somebody was employed, and a moment before the creation', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    await people.end(person.id, '2024-12-31');
    const { changes } = await people.timeline(person.id, { compare_known_at: '2020-01-01T00:00:00Z' });
    expect(
      changes.map(({ effective_from, effective_to, field, before, after }) => [
        effective_from,
        effective_to,
        field,
        before,
        after,
      ]),
    ).toEqual([['2024-01-01', '2025-01-01', 'employed', false, true]]);
  });

  it.each([
    ['as_of', '2024-02-30'],
    ['as_of', '1899-12-31'],
    ['as_of', '2024-01-01T00:00:00Z'],
    ['known_at', '2024-01-01T00:00:00'],
    ['compare_known_at', 'yesterday'],
    ['limit', '5'],
  ])('answers 400 and names %s for %s', async (field, value) => {
    const person = await people.create();
    expectError(
      await organisation.client.get(`/people/${person.id}/timeline`, { [field]: value }),
      400,
      'invalid_request',
      field,
    );
  });
});

describe('the day on which a dated change takes effect', () => {
  const patch = (id: string, ifMatch: string): Promise<ApiAnswer> =>
    organisation.client.patch(
      `/people/${id}/employment`,
      { start_date: '2026-06-16', contracted_weekly_minutes: 100 },
      { ifMatch },
    );

  it('moves what is shown, updated_at and the entity tags once, though no fact was recorded', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const later = await people.change(person.id, { start_date: '2026-06-16', job_title: 'B' });
    const [tag, personTag] = [await people.employmentTag(person.id), await people.personTag(person.id)];
    const tagOfDay = async (): Promise<string> =>
      tagOf(await organisation.client.get(`/people/${person.id}/timeline`, { as_of: '2024-01-01' }));
    expect(await tagOfDay()).toBe(tag);
    now = new Date('2026-06-16T12:00:00Z');
    const parts = { pool: api.database.pool, eventStore: api.services.store, projector: api.services.projector, clock };
    await runEffectiveDateJob(parts);
    const shown = await organisation.client.get<Employment>(`/people/${person.id}/employment`);
    expect(dataOf(200, shown)).toMatchObject({ job_title: 'B', timeline_version: 2, effective_from: '2026-06-16' });
    expect(shown.json.data.updated_at > later.updated_at).toBe(true);
    expect(await tagOfDay()).toBe(tagOf(shown));
    expect([tagOf(shown), await people.personTag(person.id)]).not.toEqual([tag, personTag]);
    expectError(await patch(person.id, tag), 412, 'precondition_failed');
    const since = await organisation.client.get<readonly Person[]>('/people', {
      updated_since: shown.json.data.updated_at,
    });
    expect(dataOf(200, since).map(({ id }) => id)).toEqual([person.id]);
    await runEffectiveDateJob(parts);
    expect((await people.employment(person.id)).updated_at).toBe(shown.json.data.updated_at);
    expect((await patch(person.id, tagOf(shown))).status).toBe(200);
  });

  it('takes the entity tag that a read gives before the day was rolled', async () => {
    now = new Date('2026-06-15T12:00:00Z');
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    await people.change(person.id, { start_date: '2026-06-16', job_title: 'B' });
    now = new Date('2026-06-16T12:00:00Z');
    const ended = await organisation.client.post(
      `/people/${person.id}/end`,
      { end_date: '2026-12-31' },
      { ifMatch: await people.personTag(person.id) },
    );
    expect(ended.status).toBe(200);
    const second = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    now = new Date('2026-06-15T12:00:00Z');
    await people.change(second.id, { start_date: '2026-06-16', job_title: 'B' });
    now = new Date('2026-06-16T12:00:00Z');
    expect((await patch(second.id, await people.employmentTag(second.id))).status).toBe(200);
    expect(((await people.timeline(second.id)) as Timeline).timeline_version).toBe(3);
  });
});
