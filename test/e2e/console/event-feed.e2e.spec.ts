import type { Scope } from '#kernel/scopes.js';
import { changeUser, revokeApiKey } from '../../support/access.js';
import { eventually } from '../../contract/event-store.support.js';
import { signedIn } from '../../support/api/browser-session.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi, type TestOrganisation } from '../../support/api/test-api.js';
import { testContext } from '../../support/command-services.js';
import { allReadable } from '../../support/postgres.js';

interface Told {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: { readonly id: string; readonly resource_type: string };
}

let own: TestOrganisation;
let stranger: TestOrganisation;

const api = TestApi.forSpec();

beforeAll(async () => {
  [own, stranger] = [await api.organisation(), await api.organisation()];
});

/** A reader of the feed that has been told that nothing is missed from here on. */
class Reader {
  readonly told: Told[] = [];
  isEnded = false;

  private constructor(private readonly aborting: AbortController) {}

  static async open(headers: Readonly<Record<string, string>>): Promise<Reader> {
    const reader = new Reader(new AbortController());
    const answer = await fetch(`${api.url}/console/events`, { headers, signal: reader.aborting.signal });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    let text = '';
    let isOpen = false;
    void (async () => {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        isOpen ||= text.includes(': open');
        const parts = text.split('\n\n');
        text = parts.pop()!;
        for (const part of parts) if (part.startsWith('data: ')) reader.told.push(JSON.parse(part.slice(6)) as Told);
      }
    })()
      .catch(() => undefined)
      .finally(() => (reader.isEnded = true));
    await eventually(() => Promise.resolve(isOpen));
    return reader;
  }

  async end(): Promise<void> {
    this.aborting.abort();
    await eventually(() => Promise.resolve(this.isEnded));
  }
}

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });
const keyWith = (...scopes: Scope[]) => api.key(own.row, { scopes: ['webhooks:manage', ...scopes] });

it('tells what happens from its beginning on, in the own organisation, of types whose scope the caller has', async () => {
  await new PeopleActions(own).create();
  // A feed begins at what the log shows, and transactions of other tests may hold back what was written
  // before.
  await allReadable(api.database.pool);
  const all = await Reader.open(bearer(own.apiKey));
  const few = await Reader.open(bearer((await keyWith('time_off:read')).apiKey));
  await new PeopleActions(stranger).create();
  const { id } = await new PeopleActions(own).create();
  await eventually(() => Promise.resolve(all.told.length > 0));
  expect(all.told).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      type: 'person.created',
      occurred_at: expect.any(String),
      data: { id, resource_type: 'person' },
    },
  ]);
  const later = await new PeopleActions(own).create();
  await eventually(() => Promise.resolve(all.told.some((told) => told.data.id === later.id)));
  expect(few.told).toEqual([]);
  await Promise.all([all.end(), few.end()]);
});

it('ends with its key, and with its session', async () => {
  const key = await keyWith('people:read');
  const { browser, user } = await signedIn(api, own.row.id, 'integrator', { email: newEmail() });
  const [ofKey, ofSession] = [
    await Reader.open(bearer(key.apiKey)),
    await Reader.open({ cookie: browser.cookieHeader() }),
  ];
  await revokeApiKey(api.services, testContext(own.row.id), key.keyId);
  await eventually(() => Promise.resolve(ofKey.isEnded));
  expect(ofSession.isEnded).toBe(false);
  await changeUser(api.services, testContext(own.row.id), user.id, { type: 'set_role', role: 'viewer' });
  await eventually(() => Promise.resolve(ofSession.isEnded));
});

it('is refused without the scope, without a caller, and beyond the share of a caller and of an organisation, which keeps nobody else out', async () => {
  const asked = async (headers: Readonly<Record<string, string>>): Promise<[number, string]> => {
    const aborting = new AbortController();
    const answer = await fetch(`${api.url}/console/events`, { headers, signal: aborting.signal });
    const message =
      answer.status === 200 ? '' : ((await answer.json()) as { error: { message: string } }).error.message;
    aborting.abort();
    return [answer.status, message];
  };
  const open = async (count: number): Promise<string> => {
    const { apiKey } = await keyWith();
    for (let at = 0; at < count; at += 1) readers.push(await Reader.open(bearer(apiKey)));
    return apiKey;
  };
  const readers: Reader[] = [];
  expect((await asked({}))[0]).toBe(401);
  expect((await asked(bearer((await api.key(own.row, { scopes: ['people:read'] })).apiKey)))[0]).toBe(403);
  const greedy = await open(5);
  expect(await asked(bearer(greedy))).toEqual([429, 'Too many streams of this caller are open: at most 5.']);
  for (let key = 0; key < 3; key += 1) await open(5);
  expect(await asked(bearer((await keyWith()).apiKey))).toEqual([
    429,
    'Too many streams of this organisation are open: at most 20.',
  ]);
  expect((await asked(bearer(stranger.apiKey)))[0]).toBe(200);
  await Promise.all(readers.map((reader) => reader.end()));
  await eventually(async () => (await asked(bearer(greedy)))[0] === 200);
});
