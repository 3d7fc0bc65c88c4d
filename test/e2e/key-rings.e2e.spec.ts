import { randomBytes } from 'node:crypto';
import { PeopleActions } from '../support/api/people.js';
import type { TestApi, TestOrganisation } from '../support/api/test-api.js';
import { createTestDatabase } from '../support/postgres.js';
import { runWorkforce } from '../support/processes.js';
import { eventually } from '../contract/event-store.support.js';
import { programOver } from '../support/program.js';
import { Delivering, isSignedWith } from '../support/webhooks/delivering.js';
import { Receiver } from '../support/webhooks/receiver.js';
import { exitCodeOfSentence } from '../support/exit-codes.js';

interface Ring {
  readonly ring: string;
  readonly versions: readonly {
    readonly version: number;
    readonly state: string;
    readonly seals: number | null;
    readonly wrapped_with: string | null;
  }[];
  readonly not_wrapped: number | null;
}

let delivering: Delivering;
let api: TestApi;
let own: TestOrganisation;
let people: PeopleActions;
const { workforce, json } = programOver(() => api.database);

beforeAll(async () => {
  delivering = await Delivering.start('PostgreSQL');
  api = delivering.api;
  own = await api.organisation();
  people = new PeopleActions(own);
});
afterAll(() => delivering.stop());

async function ring(name: string): Promise<Ring> {
  const { rings } = await json<{ rings: readonly Ring[] }>('secrets', 'list');
  return rings.find((one) => one.ring === name)!;
}

async function refused(...parameters: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await workforce(...parameters);
  expect([code, stdout]).toEqual([exitCodeOfSentence(stderr), '']);
  return stderr;
}

describe('the key of cursors', () => {
  const page = (cursor?: string) =>
    own.client.get<readonly { id: string }[]>('/people', { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
  const newCursor = async (): Promise<string> => (await page()).json.pagination.next_cursor!;

  it('is rotated under a running API: cursors go on to work until the version they were made with is retired', async () => {
    for (let count = 0; count < 3; count += 1) await people.create({ first_name: 'Ada' });
    const earlier = await newCursor();
    expect(await json('secrets', 'rotate', 'cursors')).toMatchObject({ ring: 'cursors', version: 2 });
    await eventually(async () => (await newCursor()).startsWith('2.'));
    const later = await newCursor();
    // A process that has not heard of the rotation looks before it refuses.
    const other = api.client(own.apiKey, await api.startAnother());
    for (const client of [own.client, other]) {
      for (const cursor of [earlier, later])
        expect((await client.get('/people', { limit: 1, cursor })).status).toBe(200);
    }
    expect((await page(earlier)).json.data).toEqual((await page(later)).json.data);
    await json('secrets', 'retire', 'cursors', '1');
    await eventually(async () => (await page(earlier)).status === 400);
    expect((await page(earlier)).json.error.details).toEqual([expect.objectContaining({ field: 'cursor' })]);
    expect((await page(later)).status).toBe(200);
    expect((await page(`9${later}`)).status).toBe(400);
  });

  it('is not retired while it is the one that seals, nor twice, nor resealed', async () => {
    expect(await refused('secrets', 'retire', 'cursors', '2')).toBe(
      'cursors: Version 2 is the current one: rotate the ring first.\n',
    );
    expect(await refused('secrets', 'retire', 'cursors', '1')).toBe('cursors: Version 1 is already retired.\n');
    expect(await refused('secrets', 'retire', 'cursors', '7')).toMatch(/^cursors: The ring has no version 7/);
    expect(await refused('secrets', 'retire', 'cursors', 'one')).toMatch(/^The version must be a whole number/);
    expect(await refused('secrets', 'reseal', 'cursors')).toMatch(/^The ring cursors encrypts no stored values/);
    expect(await refused('secrets', 'rotate', 'ids')).toMatch(/^ids: The key of ids is never rotated/);
    expect(await refused('secrets', 'rotate', 'cursor')).toBe('There is no ring cursor: did you mean cursors?\n');
  });
});

describe('the key of webhook secrets', () => {
  it('is rotated, resealed and retired, and deliveries are signed as before by whoever sends them', async () => {
    const receiver = new Receiver();
    const stopWorker = await delivering.worker();
    try {
      const url = await receiver.start();
      const create = async (): Promise<{ readonly id: string; readonly signing_secret: string }> =>
        (
          await own.client.post<{ id: string; signing_secret: string }>('/webhooks', {
            name: 'Payroll',
            url,
            subscribed_events: ['webhook.test'],
          })
        ).json.data;
      const one = await create();
      const { signing_secret: newest } = (
        await own.client.post<{ signing_secret: string }>(`/webhooks/${one.id}/rotate-secret`, {})
      ).json.data;
      const shown = (await own.client.get(`/webhooks/${one.id}`)).json.data;
      const delivered = async (secrets: readonly string[]): Promise<void> => {
        const before = receiver.requests.length;
        expect((await own.client.post(`/webhooks/${one.id}/test`, { event_type: 'webhook.test' })).status).toBeLessThan(
          300,
        );
        await receiver.until((requests) => requests.length > before);
        for (const secret of secrets) expect(isSignedWith(secret, receiver.requests[before]!)).toBe(true);
      };
      await delivered([newest, one.signing_secret]);
      expect(await json('secrets', 'rotate', 'webhook-secrets')).toMatchObject({ version: 2, to_reseal: 2 });
      await delivered([newest, one.signing_secret]);
      const two = await create();
      expect((await ring('webhook-secrets')).versions.map(({ seals }) => seals)).toEqual([2, 1]);
      expect(await refused('secrets', 'retire', 'webhook-secrets', '1')).toBe(
        'webhook-secrets: Version 1 still seals 2 values: reseal the ring first.\n',
      );
      expect(await json('secrets', 'reseal', 'webhook-secrets')).toMatchObject({ resealed: 1, left: 0 });
      expect(await json('secrets', 'reseal', 'webhook-secrets')).toMatchObject({ resealed: 0, left: 0 });
      await json('secrets', 'retire', 'webhook-secrets', '1');
      await delivered([newest, one.signing_secret]);
      expect((await own.client.get(`/webhooks/${one.id}`)).json.data).toEqual(shown);
      expect(two.signing_secret).not.toBe(newest);
      expect(delivering.errors).toEqual([]);
    } finally {
      await stopWorker();
      await receiver.stop();
    }
  });
});

describe('the key of personal data', () => {
  it('wraps the keys of people from the first rotation on, and everybody stays readable', async () => {
    const early = await people.create({ first_name: 'Grace', last_name: 'Early' });
    await json('people', 'set-personal', early.id, '--organisation', own.row.id, '--date-of-birth', '1988-12-10');
    const stored = async (id: string): Promise<Buffer> =>
      (await api.database.pool.query<{ key: Buffer }>('select key from person_keys where person_id = $1', [id]))
        .rows[0]!.key;
    expect((await stored(early.id)).length).toBe(32);
    await json('secrets', 'rotate', 'personal-data');
    // The running API hears of it within two seconds.
    await eventually(async () => (await stored((await people.create({ first_name: 'Hedy' })).id)).length === 63);
    const late = await people.create({ first_name: 'Hedy', last_name: 'Late' });
    expect((await ring('personal-data')).not_wrapped).toBeGreaterThan(3);
    const { resealed, left } = await json<{ resealed: number; left: number }>('secrets', 'reseal', 'personal-data');
    expect([resealed > 3, left]).toEqual([true, 0]);
    await json('secrets', 'rotate', 'personal-data');
    expect(await refused('secrets', 'retire', 'personal-data', '1')).toMatch(
      /^personal-data: Version 1 still seals \d+ values/,
    );
    await json('secrets', 'reseal', 'personal-data');
    await json('secrets', 'retire', 'personal-data', '1');
    expect(await ring('personal-data')).toMatchObject({
      not_wrapped: 0,
      versions: [{ state: 'retired', seals: null }, { state: 'current' }],
    });
    const other = new PeopleActions({ client: api.client(own.apiKey, await api.startAnother()) });
    for (const actions of [people, other]) {
      for (const { id, last_name } of [early, late]) {
        expect(await actions.person(id)).toMatchObject({ last_name });
        expect(await actions.identity(id, { first_name: actions === people ? 'One' : 'Two' })).toMatchObject({
          last_name,
        });
      }
    }
    expect((await own.client.get(`/people/${early.id}/personal`)).json.data).toMatchObject({
      date_of_birth: '1988-12-10',
    });
  });

  it('does not bring back who is erased meanwhile', async () => {
    const { id } = await people.create({ first_name: 'Gone' });
    await json('secrets', 'rotate', 'personal-data');
    await Promise.all([
      json('secrets', 'reseal', 'personal-data'),
      api.database.pool.query('delete from person_keys where person_id = $1', [id]),
    ]);
    expect((await api.database.pool.query('select from person_keys where person_id = $1', [id])).rowCount).toBe(0);
  });
});

describe('doctor', () => {
  const saidOfKeys = async (): Promise<readonly string[]> => {
    const { checks } = JSON.parse((await workforce('doctor', '--json')).stdout) as {
      checks: readonly { name: string; status: string; message: string; advice: string | null }[];
    };
    return checks
      .filter(({ name }) => name === 'keys')
      .map(({ status, message, advice }) => `${status} ${message} ${advice ?? ''}`);
  };

  it('says which key is old, and what is left to reseal', async () => {
    expect(await saidOfKeys()).toEqual([
      'ok No key of the installation is older than a year, and none is left to reseal. ',
    ]);
    await api.database.pool.query(
      "update key_rings set created_at = created_at - interval '366 days' where ring in ('ids', 'avatar_links')",
    );
    await json('secrets', 'rotate', 'webhook-secrets');
    expect(await saidOfKeys()).toEqual([
      'warning Version 1 of the key picture-links is 366 days old. Rotate it: "workforce secrets rotate picture-links".',
      expect.stringMatching(
        /^warning \d+ values are encrypted with another version than 3 of the key webhook-secrets\. Run "workforce secrets reseal webhook-secrets"\.$/,
      ),
    ]);
  });
});

describe('a master key', () => {
  const key = (): string => randomBytes(32).toString('base64');

  it('wraps what rests, is needed from then on, and is itself replaced', async () => {
    const database = await createTestDatabase();
    const [first, second] = [key(), key()];
    const list = (environment: NodeJS.ProcessEnv) =>
      runWorkforce(['secrets', 'list', '--json'], { DATABASE_URL: database.url, ...environment });
    const wrapped = async (): Promise<ReadonlySet<string | null>> =>
      new Set(
        (await database.pool.query<{ by: string }>('select wrapped_by as by from key_rings')).rows.map(({ by }) => by),
      );
    try {
      expect((await list({})).code).toBe(0);
      expect(await wrapped()).toEqual(new Set([null]));
      const { rows: inClear } = await database.pool.query<{ secret: Buffer }>('select secret from key_rings');
      const wrap = await runWorkforce(['secrets', 'wrap'], { DATABASE_URL: database.url, MASTER_KEY: first });
      expect(wrap).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^4 keys of the installation are wrapped with the master key [\da-f]{8} from now on\.\n$/,
        ),
      });
      const { rows } = await database.pool.query<{ secret: Buffer }>('select secret from key_rings');
      for (const { secret } of inClear) expect(rows.some((row) => row.secret.includes(secret))).toBe(false);
      const without = await list({});
      expect(without).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(
          /^The keys of this installation are wrapped with the master key [\da-f]{8}, which this process was not given: set MASTER_KEY or MASTER_KEY_FILE .*\.\n$/,
        ),
      });
      expect((await list({ MASTER_KEY: second })).code).toBe(3);
      expect(
        (
          await runWorkforce(['secrets', 'wrap'], {
            DATABASE_URL: database.url,
            MASTER_KEY: second,
            MASTER_KEY_PREVIOUS: first,
          })
        ).code,
      ).toBe(0);
      const after = await list({ MASTER_KEY: second });
      expect(after.code).toBe(0);
      expect((await list({ MASTER_KEY: first })).code).toBe(3);
      for (const text of [first, second]) expect(after.stdout + after.stderr + without.stderr).not.toContain(text);
      expect((await wrapped()).size).toBe(1);
    } finally {
      await database.drop();
    }
  });
});
