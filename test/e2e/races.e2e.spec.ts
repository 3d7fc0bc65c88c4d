import { randomUUID } from 'node:crypto';
import { RateLimiter, WINDOW_SECONDS } from '#http/rate-limit/rate-limiter.js';
import { type ApiAnswer, type ApiClient, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { patiently } from '../support/api/patiently.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import type { Employment, Fact, Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

/** One at each of two instances over the same database. */
let clients: readonly [ApiClient, ApiClient];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

beforeAll(async () => {
  clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
});

/** As many writes at once, in turn at the two instances, each patiently under a key of its own. */
function race<Data>(
  count: number,
  send: (client: ApiClient, index: number, idempotencyKey: string) => Promise<ApiAnswer<Data>>,
): Promise<readonly ApiAnswer<Data>[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      patiently((idempotencyKey) => send(clients[index % 2]!, index, idempotencyKey)),
    ),
  );
}

function countOf(answers: readonly ApiAnswer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

describe('200 parallel PATCHes with one entity tag', () => {
  it('of a person: exactly one 200, the rest 412, and the person is as the one says', async () => {
    const person = await people.create();
    const ifMatch = await people.personTag(person.id);
    const answers = await race(200, (client, index, idempotencyKey) =>
      client.patch<Person>(`/people/${person.id}`, { first_name: `N${index}` }, { ifMatch, idempotencyKey }),
    );
    expect([countOf(answers, 200), countOf(answers, 412)]).toEqual([1, 199]);
    const winner = answers.find(({ status }) => status === 200)!;
    const read = await organisation.client.get<Person>(`/people/${person.id}`);
    expect([read.text, tagOf(read)]).toEqual([winner.text, tagOf(winner)]);
  });

  it('of an employment: exactly one 200, the rest 412, and one fact more', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    const ifMatch = await people.employmentTag(person.id);
    const answers = await race(200, (client, index, idempotencyKey) =>
      client.patch<Employment>(
        `/people/${person.id}/employment`,
        { start_date: '2024-02-01', job_title: `T${index}` },
        { ifMatch, idempotencyKey },
      ),
    );
    expect([countOf(answers, 200), countOf(answers, 412)]).toEqual([1, 199]);
    expect((await people.employment(person.id)).timeline_version).toBe(2);
    expect(await people.facts(person.id)).toHaveLength(2);
  });
});

describe('50 parallel POSTs with one Idempotency-Key', () => {
  it('make one person and get identical bodies', async () => {
    const [idempotencyKey, body] = [randomUUID(), { work_email: newEmail(), start_date: '2024-01-01' }];
    const answers = await race(50, (client) => client.post<Person>('/people', body, { idempotencyKey }));
    expect(countOf(answers, 201)).toBe(50);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(tagOf)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(49);
    const all = await people.all<Person>('/people');
    expect(all.filter(({ work_email }) => work_email === body.work_email)).toHaveLength(1);
    expect(await people.facts(answers[0]!.json.data.id)).toHaveLength(1);
  });

  it('and as many bodies: one person, and 409 idempotency_conflict for every other body', async () => {
    const idempotencyKey = randomUUID();
    const answers = await race(50, (client, index) =>
      client.post<Person>('/people', { work_email: `${index}-${idempotencyKey}@example.com` }, { idempotencyKey }),
    );
    expect(countOf(answers, 201)).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectError(answer, 409, 'idempotency_conflict');
    const all = await people.all<Person>('/people', { limit: 200 });
    expect(all.filter(({ work_email }) => work_email.includes(idempotencyKey))).toHaveLength(1);
  });
});

describe('parallel history facts without If-Match', () => {
  it.each([50, 100])('%i of them: all 201, all in the timeline, each with a version of its own', async (count) => {
    const person = await people.create({ start_date: '2020-01-01' });
    const dayOf = (index: number): string => new Date(Date.UTC(2021, 0, 1 + index)).toISOString().slice(0, 10);
    const answers = await race(count, (client, index, idempotencyKey) =>
      client.post<Fact>(
        `/people/${person.id}/employment-history`,
        { start_date: dayOf(index), job_title: `T${index}`, correction_reason: 'race' },
        { idempotencyKey },
      ),
    );
    expect(countOf(answers, 201)).toBe(count);
    const versions = answers.map((answer) => dataOf(201, answer).timeline_version).sort((one, other) => one - other);
    expect(versions).toEqual(Array.from({ length: count }, (_, index) => index + 2));
    const { segments } = await people.timeline(person.id);
    expect(segments.map(({ job_title }) => job_title)).toEqual([
      null,
      ...Array.from({ length: count }, (_, index) => `T${index}`),
    ]);
  });
});

describe('e-mail addresses', () => {
  it('go to one of 50 people who are created at once, in whatever case', async () => {
    const email = newEmail();
    const answers = await race(50, (client, index, idempotencyKey) =>
      client.post<Person>('/people', { work_email: index % 3 === 0 ? email.toUpperCase() : email }, { idempotencyKey }),
    );
    expect([countOf(answers, 201), countOf(answers, 409)]).toEqual([1, 49]);
    for (const answer of answers.filter(({ status }) => status === 409))
      expectError(answer, 409, 'conflict', 'work_email');
  });

  it('stay unique while people are created with them, and changed to them by PATCHes that lose their own race', async () => {
    for (let round = 0; round < 12; round += 1) {
      const email = newEmail();
      const person = await people.create();
      const ifMatch = await people.personTag(person.id);
      await race(24, (client, index, idempotencyKey) =>
        index < 12
          ? client.patch<Person>(`/people/${person.id}`, { work_email: email }, { ifMatch, idempotencyKey })
          : client.post<Person>('/people', { work_email: email }, { idempotencyKey }),
      );
      const { rows } = await api.database.pool.query('select person_id from people where work_email = $1', [email]);
      expect(rows).toHaveLength(1);
    }
  });
});

describe('managers', () => {
  it('never make a cycle, however many changes race to close one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ring: Person[] = [];
      for (let index = 0; index < 6; index += 1) ring.push(await people.create({ start_date: '2020-01-01' }));
      const tags = await Promise.all(ring.map(({ id }) => people.employmentTag(id)));
      const answers = await race(6, (client, index, idempotencyKey) =>
        client.patch<Employment>(
          `/people/${ring[index]!.id}/employment`,
          { start_date: '2021-01-01', manager_id: ring[(index + 1) % 6]!.id },
          { ifMatch: tags[index]!, idempotencyKey },
        ),
      );
      expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([5, 1]);
    }
  });
});

describe('a budget that processes share', () => {
  it('is not held back by thirty processes that each used a few requests of it, and is never exceeded', async () => {
    let allowed = 0;
    let began: number;
    do {
      // On a machine that stalled, the window ended meanwhile, and a new one began.
      began = performance.now();
      const budget = { name: 'key', limit: 600, subject: `key:${randomUUID()}` } as const;
      const processes = Array.from({ length: 30 }, () => new RateLimiter(api.database.pool));
      for (const limiter of processes)
        for (let draw = 0; draw < 3; draw += 1) expect((await limiter.draw(budget)).allowed).toBe(true);
      const rest = await Promise.all(
        processes.flatMap((limiter) => Array.from({ length: 40 }, () => limiter.draw(budget))),
      );
      allowed = rest.filter((standing) => standing.allowed).length;
    } while (performance.now() - began >= WINDOW_SECONDS * 1_000);
    expect(allowed).toBe(600 - 90);
  });
});
