import { dataOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Person, Schemas } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { readBeliefs } from '#people/timeline/read-timeline.js';

type Beliefs = Schemas['BeliefsResponse'];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const pathOf = ({ id }: Person): string => `/people/${id}/timeline/beliefs`;

async function read(person: Person): Promise<Beliefs> {
  return dataOf(200, await organisation.client.get<Beliefs>(pathOf(person)));
}

/** Somebody whose promotion was recorded with a wrong day, and corrected. */
async function promoted(): Promise<Person> {
  const person = await people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
  await people.change(person.id, { start_date: '2025-06-01', job_title: 'Lead' });
  const [, wrong] = await people.facts(person.id);
  await people.correct(person.id, { start_date: '2025-05-01', job_title: 'Lead', corrects: wrong!.fact_id });
  return person;
}

describe('GET /people/{personId}/timeline/beliefs', () => {
  it('has each belief with its days and with the moments between which it was held, and each fact', async () => {
    const person = await promoted();
    const facts = await people.facts(person.id);
    const [start, change, correction] = facts.map(({ recorded_at }) => recorded_at);
    const { timeline_version, ...data } = await read(person);
    expect(timeline_version).toBe(3);
    expect(
      data.beliefs.map(({ job_title, effective_from, effective_to, known_from, known_to }) => [
        job_title,
        effective_from,
        effective_to,
        known_from,
        known_to,
      ]),
    ).toEqual([
      ['Engineer', '2024-01-01', null, start, change],
      ['Engineer', '2024-01-01', '2025-06-01', change, correction],
      ['Lead', '2025-06-01', null, change, correction],
      ['Engineer', '2024-01-01', '2025-05-01', correction, null],
      ['Lead', '2025-05-01', null, correction, null],
    ]);
    expect(
      data.facts.map(({ fact_id, action, recorded_at, corrects, corrected_by }) => [
        fact_id,
        action,
        recorded_at,
        corrects,
        corrected_by,
      ]),
    ).toEqual(
      facts.map(({ fact_id, action, recorded_at, corrects, corrected_by }) => [
        fact_id,
        action,
        recorded_at,
        corrects,
        corrected_by,
      ]),
    );
    expect(data.facts[2]).toMatchObject({
      actor: { type: 'api_key', id: organisation.keyId, name: expect.any(String) as string },
      correction_reason: 'It was recorded wrongly.',
      timeline_version: 3,
    });
  });

  it('of an earlier version has nothing that was recorded later', async () => {
    const person = await promoted();
    const { pool } = api.database;
    const former = await readBeliefs(pool, { organisationId: organisation.row.id, personId: person.id }, 2);
    const instants = former.facts.map(({ recorded_at }) => recorded_at);
    expect(instants).toHaveLength(2);
    expect(former.beliefs.map(({ known_from, known_to }) => [instants.indexOf(known_from), known_to])).toEqual([
      [0, instants[1]],
      [1, null],
      [1, null],
    ]);
  });
});
