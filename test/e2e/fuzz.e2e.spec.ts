import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { type FuzzRequest, fuzzRequests } from '../support/api/fuzz-requests.js';
import { type ApiAnswer, type ApiClient, tagOf } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { WebhookActions } from '../support/api/webhooks.js';
import { testSize } from '../support/test-size.js';

const REQUESTS = testSize('FUZZ_REQUESTS', { usual: 1_500, long: 20_000, eventStoreDb: 1_000 });
const AT_ONCE = 20;
/** Among so many requests the rarer statuses come up for certain. */
const ENOUGH_FOR_RARE_STATUSES = 20_000;
/** The same requests again: FUZZ_SEED=… */
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));

let own: TestOrganisation;
let foreign: TestOrganisation;
let clients: Readonly<Record<FuzzRequest['key'], ApiClient>>;
const ids = new Map<string, string[]>();
const tags: string[] = [];

const api = TestApi.forSpec();

beforeAll(async () => {
  [own, foreign] = [await api.organisation(), await api.organisation()];
  clients = {
    all: own.client,
    reader: api.client((await api.key(own.row, { scopes: ['people:read'] })).apiKey),
    none: api.client(null),
  };
  for (const { client, references } of [own, foreign]) {
    const people = new PeopleActions({ client });
    for (let index = 0; index < 4; index += 1) {
      const person = await people.create({ start_date: index === 0 ? null : '2020-01-01', job_title: 'A' });
      if (index === 2) await people.end(person.id, '2024-12-31');
      remember('person', person.id);
      remember('ef_', ...(await people.facts(person.id)).map(({ fact_id }) => fact_id));
      tags.push(await people.personTag(person.id), await people.employmentTag(person.id));
    }
    const webhooks = new WebhookActions({ client });
    const { id } = await webhooks.create();
    remember('wh_', id);
    remember('whd_', (await webhooks.test(id)).delivery_id);
    remember('org_unit_', references.department_id);
    remember('wp_', references.work_place_id);
    remember('wt_', references.work_type_id);
    remember('working_pattern_', references.working_pattern_id);
  }
});

function remember(kind: string, ...more: readonly string[]): void {
  ids.set(kind, [...(ids.get(kind) ?? []), ...more]);
}

/**
 * Throws where the answer is a 500, is out of the envelope, is not what the document says, or does not come.
 */
async function send({ method, path, headers, body, idempotencyKey, key }: FuzzRequest): Promise<ApiAnswer> {
  const answer = await clients[key].send(method, path, { headers, body, idempotencyKey });
  if (answer.status < 300 && answer.headers['service-resource-etag'] !== undefined)
    tags[randomInt(tags.length)] = tagOf(answer);
  return answer;
}

describe('requests made from the OpenAPI document', () => {
  it(`all get an answer that the document allows, and never a 500 (${REQUESTS} requests, FUZZ_SEED=${SEED})`, async () => {
    const statuses = new Map<number, number>();
    const batch = fc.array(fuzzRequests({ document: api.check.document, ids, tags }), {
      minLength: AT_ONCE,
      maxLength: AT_ONCE,
    });
    const answered = fc.asyncProperty(batch, async (requests) => {
      for (const { status } of await Promise.all(requests.map(send)))
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    await fc.assert(answered, { numRuns: REQUESTS / AT_ONCE, seed: SEED, endOnFailure: true });
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
    expect(statuses.get(201)).toBeGreaterThan(0);
    const common = [200, 201, 400, 404];
    const rarer = [401, 403, 405, 409, 412, 413, 415, 428];
    expect([...statuses.keys()].sort()).toEqual(
      expect.arrayContaining(REQUESTS < ENOUGH_FOR_RARE_STATUSES ? common : [...common, ...rarer]),
    );
  });

  it('leaves the service in order: everybody can still be read, listed and replayed', async () => {
    const people = new PeopleActions(own);
    for (const { id } of await people.all<{ id: string }>('/people', { limit: 200 })) {
      await people.person(id);
      await people.timeline(id);
      await people.facts(id);
    }
  });
});
