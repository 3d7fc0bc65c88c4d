import { PeopleActions } from '../support/api/people.js';
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
