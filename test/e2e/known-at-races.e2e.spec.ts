import {
  employmentAggregate,
  type EmploymentEvent,
  evolveEmployment,
  initialEmployment,
} from '#people/employment/employment.js';
import { type ApiClient, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import type { Timeline } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { appendAlone } from '../support/append-alone.js';
import { testContext } from '../support/command-services.js';
import { delayCommits, testEventStore } from '../support/event-store.js';
import { testSize } from '../support/test-size.js';

/**
 * People whose history is written while it is read, and how often each is asked about: in the long lane 200
 * times and more for each number of writers.
 */
const PEOPLE = testSize('KNOWN_AT_RACES', { usual: 3, long: 6 });
const ASKED = 35;

/** At another instance over the same database. */
let elsewhere: ApiClient;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

beforeAll(async () => {
  elsewhere = api.client(organisation.apiKey, await api.startAnother());
});

const shifted = (instant: string, milliseconds: number): string =>
  new Date(Date.parse(instant) + milliseconds).toISOString();

async function keepCorrecting(client: ApiClient, id: string, isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    const body = { start_date: '2024-03-01', job_title: `Title ${count}`, correction_reason: 'once more' };
    expect((await client.post(`/people/${id}/employment-history`, body)).status).toBe(201);
  }
}

/** What is answered about a moment while it is fresh, by moment. */
async function answersUnderWrites(id: string, writers: readonly ApiClient[]): Promise<ReadonlyMap<string, string>> {
  let isOver = false;
  const writing = writers.map((client) => keepCorrecting(client, id, () => isOver));
  const answers = new Map<string, string>();
  for (let asked = 0; asked < ASKED; asked += 1) {
    const instant = shifted(new Date().toISOString(), -(asked % 21));
    const answer = await elsewhere.get<Timeline>(`/people/${id}/timeline`, { known_at: instant });
    expect(answer.status).toBe(200);
    answers.set(instant, answer.text);
  }
  isOver = true;
  await Promise.all(writing);
  return answers;
}

describe('an answer for a moment that has just passed', () => {
  // A busy disk, or machine: without it the moment between stamp and commit is rarely met.
  beforeAll(() => delayCommits(api.database.pool, 6));

  it.each([1, 2])(`is the same later, byte for byte, with %p writing (${PEOPLE * ASKED} moments)`, async (writers) => {
    let versions = 0;
    const changed: string[] = [];
    for (let count = 0; count < PEOPLE; count += 1) {
      const { id } = await people.create({ start_date: '2024-01-01', job_title: 'A' });
      const answers = await answersUnderWrites(id, [organisation.client, elsewhere].slice(0, writers));
      for (const [instant, text] of answers) {
        if ((await organisation.client.get(`/people/${id}/timeline`, { known_at: instant })).text !== text)
          changed.push(instant);
      }
      versions += (await people.timeline(id)).timeline_version;
    }
    expect(changed).toEqual([]);
    expect(versions).toBeGreaterThan(PEOPLE * 2);
  });

  it('takes in what was recorded by a process that died before it projected', async () => {
    const { id } = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const { store } = api.services;
    const fact: EmploymentEvent = {
      type: 'EmploymentChanged',
      data: { fact_id: 'ef_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA', start_date: '2024-02-01', terms: { job_title: 'B' } },
    };
    const events = await appendAlone(store, testContext(organisation.row.id), {
      stream: employmentAggregate.streamOf(organisation.row.id, id),
      initial: initialEmployment,
      evolve: evolveEmployment,
      decide: () => ({ events: [fact] }),
    });
    expect((await people.timeline(id)).timeline_version).toBe(1);
    const { recordedAt } = events.at(-1)!;
    expect(await people.timeline(id, { known_at: shifted(recordedAt, -1) })).toMatchObject({ timeline_version: 1 });
    const { timeline_version, segments, changes } = await people.timeline(id, {
      known_at: recordedAt,
      compare_known_at: shifted(recordedAt, -1),
    });
    expect([timeline_version, segments.length, changes.length]).toEqual([2, 2, 1]);
  });
});

describe('an answer for a moment that has not come', () => {
  it('is given once it has passed, where that is within two seconds, and stays as it is', async () => {
    const { id } = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const instant = shifted(new Date().toISOString(), 400);
    const asked = organisation.client.get<Timeline>(`/people/${id}/timeline`, { known_at: instant });
    const meanwhile = await people.correct(id, { start_date: '2024-02-01', job_title: 'B' });
    const answer = await asked;
    const afterwards = await people.correct(id, { start_date: '2024-02-01', job_title: 'C' });
    expect(answer.json.data.timeline_version).toBe(meanwhile.recorded_at <= instant ? 2 : 1);
    expect(afterwards.recorded_at > instant).toBe(true);
    expect((await organisation.client.get(`/people/${id}/timeline`, { known_at: instant })).text).toBe(answer.text);
  });

  it.each(['known_at', 'compare_known_at'] as const)(
    'is refused where it lies further ahead, and names %s',
    async (field) => {
      const { id } = await people.create({ start_date: '2024-01-01' });
      for (const instant of [shifted(new Date().toISOString(), 3_600_000), '9998-12-31T00:00:00.000Z']) {
        const answer = await organisation.client.get(`/people/${id}/timeline`, { [field]: instant });
        expectError(answer, 400, 'invalid_request', field);
        expect(answer.json.error.details).toEqual([
          { field, issue: 'must not lie more than 2 seconds ahead; omit it for the current knowledge' },
        ]);
      }
    },
  );
});

it('a moment that an unfinished append may still fall before is answered 503 in time, and nobody else waits', async () => {
  const { id } = await people.create({ start_date: '2024-01-01' });
  const other = await people.create({ start_date: '2024-01-01' });
  const hanging = await hangAppend(employmentAggregate.streamOf(organisation.row.id, id));
  if (hanging === null) return;
  const instant = new Date().toISOString();
  const answers = Array.from({ length: 5 }, () =>
    organisation.client.get(`/people/${id}/timeline`, { known_at: instant }),
  );
  expect((await organisation.client.get(`/people/${other.id}/timeline`, { known_at: instant })).status).toBe(200);
  expect((await people.timeline(id)).timeline_version).toBe(1);
  for (const answer of await Promise.all(answers)) expectError(answer, 503, 'internal_error');
  await hanging();
  expect(await people.timeline(id, { known_at: instant })).toMatchObject({ timeline_version: 1 });
});

/**
 * Holds the stream as an append does whose commit hangs; null where events are not in PostgreSQL, whose
 * contract tests do the same.
 */
async function hangAppend(stream: string): Promise<(() => Promise<void>) | null> {
  if (testEventStore(api.database.pool).constructor.name !== 'PostgresEventStore') return null;
  const connection = await api.database.pool.connect();
  await connection.query('begin');
  await connection.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [stream]);
  return async () => {
    await connection.query('rollback');
    connection.release();
  };
}
