import { dataOf, tagOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Timeline } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const now = new Date('2026-06-15T12:00:00Z');
const clock = { now: () => now };

const api = TestApi.forSpec({ clock });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

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
    const unit = await organisation.client.make('/org-units', { name: 'Research' });
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
});
