import { randomUUID } from 'node:crypto';
import { refreshSandbox } from '#cli/sample-data/refresh-sandbox.js';
import { purgeExpiredReceipts } from '#commands/receipts/receipts.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { operationsOf } from '../support/api/document-walk.js';
import { type ApiAnswer, ApiClient, dataOf, expectError } from '../support/api/http-client.js';
import { newEmail } from '../support/api/people.js';
import type { Request } from '../support/api/derived-requests.js';
import { SCENARIOS } from '../support/api/derived-scenarios.js';
import { ScenarioSetting, type WriteScenario } from '../support/api/scenario-setting.js';
import { TestApi } from '../support/api/test-api.js';
import { WRITE_SCENARIOS, WRITES_WITHOUT_EVENTS } from '../support/api/write-scenarios.js';
import { testSeeding } from '../support/command-bus.js';
import { testContext } from '../support/command-services.js';
import { countEvents } from '../support/event-store.js';
import type { Delivery, TestAnswer } from '../support/api/shapes.js';

/** What makes one thing of a person's: a key makes one, whoever's it is. */
const MADE_FOR_A_PERSON = ['POST /time-off', 'POST /people/{personId}/time-off-balance/adjustments'];
const RETURNED_ONCE = [
  ...['POST /webhooks', 'POST /webhooks/{webhookId}/rotate-secret'],
  ...['POST /api-keys', 'POST /users', 'POST /users/{userId}/sign-in-link'],
];
const SECRETS = /"(signing_secret|api_key|sign_in_link|sign_in_link_expires_at)":"[^"]+"/g;

let at: ScenarioSetting;

const api = TestApi.forSpec({ clock: { now: () => new Date('2026-06-15T12:00:00Z') } });
beforeEach(async () => {
  at = new ScenarioSetting(api, await api.organisation());
});

const send = ({ method, path, body, ifMatch }: Request, idempotencyKey: string): Promise<ApiAnswer> =>
  at.client.send(method, path, { body, ifMatch, idempotencyKey });
const isReplay = ({ headers }: ApiAnswer): boolean => headers['idempotent-replayed'] === 'true';

/** Ends the seven days of a receipt, which is then still there, or purged. */
async function expire(idempotencyKey: string, { isPurged }: { readonly isPurged: boolean }): Promise<void> {
  const { rowCount } = await api.database.pool.query(
    "update idempotency_receipts set expires_at = now() - interval '1 second' where idempotency_key = $1",
    [idempotencyKey],
  );
  expect(rowCount).toBe(1);
  if (isPurged) expect(await purgeExpiredReceipts(api.database.pool)).toBeGreaterThan(0);
}

/** A scenario whose request has succeeded, and whose receipt has expired. */
async function afterSuccess(
  name: string,
  isPurged: boolean,
): Promise<WriteScenario & { readonly key: string; readonly first: ApiAnswer }> {
  const scenario = await SCENARIOS[name]!(at);
  const key = randomUUID();
  const first = await send(scenario.request, key);
  expect([name, first.status < 300 ? 'success' : first.text, isReplay(first)]).toEqual([name, 'success', false]);
  await expire(key, { isPurged });
  return { ...scenario, key, first };
}

it('is held against every write of the document, and against none that it has not', () => {
  const writes = operationsOf(api.check.document).filter(({ method }) => method !== 'GET');
  const names = writes.map(({ method, template }) => `${method} ${template}`);
  expect([...Object.keys(SCENARIOS), ...WRITES_WITHOUT_EVENTS].sort()).toEqual(names.sort());
  expect(Object.keys(WRITE_SCENARIOS).filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(Object.keys(SCENARIOS))('%s under a key whose receipt has expired', (name) => {
  it.each([false, true])(
    'gives the result again, marked as a replay, whatever happened since (purged: %s)',
    async (isPurged) => {
      const { request, moveOn, key, first } = await afterSuccess(name, isPurged);
      await moveOn?.();
      const events = await countEvents(api.database.pool);
      const again = await send(request, key);
      const expected = RETURNED_ONCE.includes(name) ? first.text.replace(SECRETS, '"$1":null') : first.text;
      expect([again.status, again.text, again.headers['service-resource-etag'], isReplay(again)]).toEqual([
        first.status,
        expected,
        first.headers['service-resource-etag'],
        true,
      ]);
      expect(await countEvents(api.database.pool)).toBe(events);
      const fromReceipt = await send(request, key);
      expect([fromReceipt.status, fromReceipt.text, isReplay(fromReceipt)]).toEqual([again.status, again.text, true]);
    },
  );

  it('is 409 with another request about the same, and stays what it was', async () => {
    const { request, other, key, first } = await afterSuccess(name, true);
    if (other === undefined) return;
    const events = await countEvents(api.database.pool);
    for (const attempt of [1, 2]) {
      expectError(await send(other, key), 409, 'idempotency_conflict');
      expect([attempt, await countEvents(api.database.pool)]).toEqual([attempt, events]);
    }
    const again = await send(request, key);
    expect([again.status, isReplay(again)]).toEqual([first.status, true]);
  });

  it('is a new request about another resource, but 409 where the key has made something already', async () => {
    const { request, elsewhere, key } = await afterSuccess(name, true);
    if (elsewhere === undefined) return;
    const events = await countEvents(api.database.pool);
    const answer = await send(elsewhere, key);
    if (MADE_FOR_A_PERSON.includes(name)) {
      expectError(answer, 409, 'idempotency_conflict');
      expect(await countEvents(api.database.pool)).toBe(events);
      expect(isReplay(await send(request, key))).toBe(true);
    } else {
      expect([answer.status < 300 ? 'success' : answer.text, isReplay(answer)]).toEqual(['success', false]);
      expect(await countEvents(api.database.pool)).toBeGreaterThan(events);
    }
  });
});

describe('a key under which nothing was recorded', () => {
  it('begins a new request where the first one was refused', async () => {
    const key = randomUUID();
    const { work_email } = await at.people.create();
    expectError(
      await at.client.post('/people', { work_email }, { idempotencyKey: key }),
      409,
      'conflict',
      'work_email',
    );
    await expire(key, { isPurged: false });
    const made = await at.client.post('/people', { work_email: newEmail() }, { idempotencyKey: key });
    expect([made.status, isReplay(made)]).toEqual([201, false]);
  });

  it('begins a new request where the first one changed nothing', async () => {
    const key = randomUUID();
    const { id } = await at.people.create({ first_name: 'Ada' });
    const patch = async (body: object): Promise<ApiAnswer> =>
      at.client.patch(`/people/${id}`, body, { idempotencyKey: key, ifMatch: await at.people.personTag(id) });
    expect((await patch({ first_name: 'Ada' })).status).toBe(200);
    await expire(key, { isPurged: true });
    const changed = await patch({ first_name: 'Grace' });
    expect([changed.status, isReplay(changed)]).toEqual([200, false]);
  });
});

describe('the e-mail address of a creation whose receipt has expired', () => {
  it('stays free for others where it was only named by another body, or by a repeat', async () => {
    const [key, email, requested] = [randomUUID(), newEmail(), newEmail()];
    const create = (work_email: string, idempotencyKey: string): Promise<ApiAnswer> =>
      at.client.post('/people', { work_email }, { idempotencyKey });
    const { id } = dataOf<{ id: string }>(201, (await create(email, key)) as ApiAnswer<{ id: string }>);
    await at.people.identity(id, { work_email: newEmail() });
    await expire(key, { isPurged: true });
    expectError(await create(requested, key), 409, 'idempotency_conflict');
    expect(isReplay(await create(email, key))).toBe(true);
    for (const free of [requested, email]) expect((await create(free, randomUUID())).status).toBe(201);
  });
});

describe('webhook writes that record no event', () => {
  it('a test is remembered by its delivery, and is another one at another endpoint', async () => {
    const [one, two, key] = [await at.webhooks.create(), await at.webhooks.create(), randomUUID()];
    const first = await at.webhooks.test(one.id, { idempotencyKey: key });
    await at.webhooks.change(one.id, { status: 'disabled' });
    await expire(key, { isPurged: true });
    const again: ApiAnswer<TestAnswer> = await at.webhooks.tryTest(one.id, { idempotencyKey: key });
    expect([again.status, again.json.data.delivery_id, again.json.data.payload, isReplay(again)]).toEqual([
      200,
      first.delivery_id,
      first.payload,
      true,
    ]);
    await expire(key, { isPurged: true });
    const elsewhere = await at.webhooks.tryTest(two.id, { idempotencyKey: key });
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([200, false]);
    expect(elsewhere.json.data.payload.id).not.toBe(first.payload.id);
  });

  it('a redelivery and a resend are new requests', async () => {
    const webhook = await at.webhooks.create();
    const { delivery_id: id } = await at.webhooks.test(webhook.id);
    const fail = () =>
      api.database.pool.query(
        "update webhook_deliveries set status = 'failed', next_attempt_at = null, finished_at = now() where id = $1",
        [id],
      );
    const path = `/webhooks/${webhook.id}/deliveries/${id}/redeliver`;
    for (const write of [
      { method: 'POST', path },
      { method: 'POST', path: `/webhooks/${webhook.id}/resend`, body: { since: '2020-01-01T00:00:00Z' } },
    ]) {
      const key = randomUUID();
      for (const round of [1, 2]) {
        await fail();
        const answer = (await send(write, key)) as ApiAnswer<Delivery>;
        expect([round, answer.status, isReplay(answer)]).toEqual([round, 200, false]);
        await expire(key, { isPurged: round === 1 });
      }
    }
  });
});

it('an event of the sandbox is told once, however old its receipt, and another one under its key is 409', async () => {
  const address = await api.startAnother('sandbox');
  await refreshSandbox(await testSeeding(api.services, api.database.pool), testContext(at.organisation.row.id));
  const check = new AnswerCheck((await (await fetch(`${address}/api/v1/openapi.json`)).json()) as OpenApiDocument);
  const client = new ApiClient(address, (await api.key(at.organisation.row, { environment: 'sandbox' })).apiKey, check);
  const key = randomUUID();
  const tell = (event_type: string): Promise<ApiAnswer> =>
    client.post('/sandbox/events', { event_type }, { idempotencyKey: key });
  const first = await tell('person.created');
  expect(first.status).toBe(201);
  await expire(key, { isPurged: true });
  const again = await tell('person.created');
  expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
  await expire(key, { isPurged: true });
  expectError(await tell('person.ended'), 409, 'idempotency_conflict');
  client.close();
});
