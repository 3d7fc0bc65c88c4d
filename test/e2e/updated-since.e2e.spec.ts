import { type ApiClient, dataOf, tagOf } from '../support/api/http-client.js';
import { newEmail } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { testSize } from '../support/test-size.js';

const CHANGES = testSize('SYNC_CHANGES', { usual: 480, long: 10_000 });
/**
 * Fewer would leave few changes between two of them. Writers go on until there were as many, however slowly
 * the machine reads.
 */
const ROUNDS = 11;
const WRITERS = 16;
const PEOPLE_OF_A_WRITER = 20;

/** One at each of two instances over the same database. */
let clients: readonly [ApiClient, ApiClient];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

beforeAll(async () => {
  clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
});

/** Changes people of its own in turn, and tells what each of them was left at. */
async function write(
  writer: number,
  isGoingOn: (changes: number) => boolean,
  told: Map<string, string>,
): Promise<void> {
  const tags: { id: string; tag: string }[] = [];
  for (let change = 0; isGoingOn(change); change += 1) {
    const client = clients[(writer + change) % 2]!;
    const first_name = `W${writer}C${change}`;
    if (tags.length < PEOPLE_OF_A_WRITER) {
      const answer = await client.post<Person>('/people', { work_email: newEmail(), first_name });
      told.set(dataOf(201, answer).id, first_name);
      tags.push({ id: answer.json.data.id, tag: tagOf(answer) });
      continue;
    }
    const person = tags[change % tags.length]!;
    const answer = await client.patch<Person>(`/people/${person.id}`, { first_name }, { ifMatch: person.tag });
    told.set(dataOf(200, answer).id, first_name);
    person.tag = tagOf(answer);
  }
}

/**
 * A client that follows: page after page to the end, then again from the largest `updated_at` that it saw.
 */
class Follower {
  readonly seen = new Map<string, string>();
  largest = '1970-01-01T00:00:00.000Z';
  rounds = 0;

  async round(): Promise<void> {
    const since = this.largest;
    this.rounds += 1;
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const query = { updated_since: since, limit: 50, ...(cursor === undefined ? {} : { cursor }) };
      const answer = await clients[this.rounds % 2]!.get<readonly Person[]>('/people', query);
      for (const person of dataOf(200, answer)) {
        this.seen.set(person.id, person.first_name!);
        if (person.updated_at > this.largest) this.largest = person.updated_at;
      }
      cursor = answer.json.pagination.next_cursor;
    }
  }
}

describe('GET /people?updated_since', () => {
  it(`lets a client that feeds back the largest updated_at miss nothing of at least ${CHANGES} changes by ${WRITERS} writers at two instances`, async () => {
    const told = new Map<string, string>();
    const follower = new Follower();
    let isWriting = true;
    const follow = async (): Promise<void> => {
      while (isWriting) await follower.round();
    };
    const isGoingOn = (changes: number): boolean => changes < CHANGES / WRITERS || follower.rounds < ROUNDS;
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer, isGoingOn, told));
    // One wait for both: a follower that fails would leave the writers waiting for its rounds.
    await Promise.all([Promise.all(writing).finally(() => (isWriting = false)), follow()]);
    // What was acknowledged before this round began is in it, without another look at what came before.
    await follower.round();
    expect(follower.rounds).toBeGreaterThan(10);
    expect(follower.seen.size).toBe(WRITERS * PEOPLE_OF_A_WRITER);
    expect(Object.fromEntries(follower.seen)).toEqual(Object.fromEntries(told));
  });

  it('shows an acknowledged change to the very next read at the other instance', async () => {
    for (let round = 0; round < 100; round += 1) {
      const [here, there] = round % 2 === 0 ? clients : [clients[1], clients[0]];
      const person = dataOf(201, await here.post<Person>('/people', { work_email: newEmail() }));
      const since = dataOf(
        200,
        await there.get<readonly Person[]>('/people', { updated_since: person.updated_at, limit: 200 }),
      );
      expect(since.map(({ id }) => id)).toContain(person.id);
    }
  });
});
