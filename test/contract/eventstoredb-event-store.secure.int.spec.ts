import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { StoreUnavailableError } from '#event-store/event-store.js';
import { describeOnTestServer } from '../support/eventstoredb/outside-server.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer, type TestServerOptions } from '../support/eventstoredb/test-server.js';
import { temporaryDirectory } from '../support/test-server.js';
import { certificateFor } from '../support/webhooks/certificate.js';
import { Follower, freshStream, newEvents } from './event-store.support.js';

const PASSWORD = 'p@ss:w/rd?';
const USERS = { workforce: PASSWORD };
const AS_USER = `workforce:${encodeURIComponent(PASSWORD)}@`;

/** Where a call is to fail: the store tries again until the time is over. */
const HASTE = { attemptMilliseconds: 1_000, totalMilliseconds: 1_500 };

let directory: string;
let server: EventStoreDbTestServer;
let store: EventStoreDbEventStore;
const file = (name: string): string => encodeURIComponent(join(directory, name));

beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));
afterEach(async () => {
  await store.close();
  await server.stop();
});

/** Opens a store over a new server; `query` and `user` go into its connection string. */
async function open(options: TestServerOptions, query: string, user = AS_USER, timeouts = PATIENCE): Promise<void> {
  server = await EventStoreDbTestServer.start(options);
  const connectionString = `esdb://${user}127.0.0.1:${server.port}?${query}`;
  store = new EventStoreDbEventStore({ connectionString, ...timeouts });
}

/**
 * The error that the store reports when it is away, which contains no secret; asked again where a busy
 * machine let the time run out.
 */
async function complaint(): Promise<{ readonly message: string; readonly remedy: string | null }> {
  for (;;) {
    const { message, remedy } = await oneComplaint();
    if (message !== 'EventStoreDB accepts calls and does not answer') return { message, remedy };
  }
}

async function oneComplaint(): Promise<StoreUnavailableError> {
  const error: unknown = await store.append(freshStream(), 'none', newEvents(1)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  const unavailable = error as StoreUnavailableError;
  const { message, remedy, cause } = unavailable;
  const everything = `${message} ${String(remedy)} ${String(cause)} ${JSON.stringify(cause)}`;
  for (const secret of [
    PASSWORD,
    encodeURIComponent(PASSWORD),
    Buffer.from(`workforce:${PASSWORD}`).toString('base64'),
  ])
    expect(everything).not.toContain(secret);
  return unavailable;
}

describeOnTestServer(
  'EventStoreDbEventStore, at a server with TLS and users',
  'be given certificates and users',
  () => {
    it('writes, reads and follows as the user, with a certificate that its authority signed', async () => {
      const tls = certificateFor(['127.0.0.1']);
      await writeFile(join(directory, 'ca.pem'), tls.cert);
      await open({ tls, users: USERS }, `tlsCAFile=${file('ca.pem')}`);
      const follower = new Follower(store, null);
      const stream = freshStream();
      await store.append(stream, 'none', newEvents(3));
      expect(await store.readStream(stream)).toHaveLength(3);
      expect(await follower.until(3)).toHaveLength(3);
      await follower.end();
    });

    it('shows a certificate of the user where the server asks for one', async () => {
      const [tls, user] = [certificateFor(['127.0.0.1']), certificateFor(['workforce'])];
      await Promise.all([
        writeFile(join(directory, 'ca.pem'), tls.cert),
        writeFile(join(directory, 'user.crt'), user.cert),
        writeFile(join(directory, 'user.key'), user.key),
      ]);
      await open(
        { tls: { ...tls, userAuthority: user.cert } },
        `tlsCAFile=${file('ca.pem')}&userCertFile=${file('user.crt')}&userKeyFile=${file('user.key')}`,
        '',
      );
      expect((await store.append(freshStream(), 'none', newEvents(1))).revision).toBe(0);
    });

    it('says that the user or the password is wrong at once, and works when it is right again', async () => {
      const tls = certificateFor(['127.0.0.1']);
      await writeFile(join(directory, 'ca.pem'), tls.cert);
      for (const user of ['', 'workforce:wrong@']) {
        await open({ tls, users: USERS }, `tlsCAFile=${file('ca.pem')}`, user);
        expect((await complaint()).message).toBe('EventStoreDB rejects the user or the password');
        await expect(store.readStream(freshStream())).rejects.toThrow(StoreUnavailableError);
        await expect(store.head()).rejects.toThrow('rejects the user');
        if (user === '') {
          await store.close();
          await server.stop();
        }
      }
    });

    it.each([
      ['a certificate of nobody', () => ({ tls: certificateFor(['127.0.0.1']) }), 'tls=true', 'is not trusted'],
      [
        'a certificate for another name',
        () => ({ tls: certificateFor(['events.example']) }),
        'own',
        'is for another name',
      ],
      [
        'a certificate that has expired',
        () => ({ tls: certificateFor(['127.0.0.1'], new Date(Date.now() - 60_000)) }),
        'own',
        'has expired or is not valid yet',
      ],
      ['no TLS', () => ({}), 'tls=true', 'does not use TLS'],
      [
        'TLS, spoken to without',
        () => ({ tls: certificateFor(['127.0.0.1']) }),
        'tls=false',
        'EventStoreDB did not answer',
      ],
    ] as const)('says what is wrong with %s', async (_, options, query, words) => {
      const requested: TestServerOptions = options();
      if (requested.tls !== undefined) await writeFile(join(directory, 'own.pem'), requested.tls.cert);
      await open(requested, query === 'own' ? `tlsCAFile=${file('own.pem')}` : query, AS_USER, HASTE);
      const { message, remedy } = await complaint();
      expect(message).toContain(words);
      expect(remedy).not.toBeNull();
    });

    it('says that nothing listens, and that a file cannot be read', async () => {
      await open({}, 'tls=false', AS_USER, HASTE);
      await server.stop();
      expect((await complaint()).message).toBe('no process listens at the address of EventStoreDB');
      expect(
        () => new EventStoreDbEventStore({ connectionString: `esdb://${AS_USER}127.0.0.1?tlsCAFile=/nowhere.pem` }),
      ).toThrow('The file that tlsCAFile of EVENTSTORE_URL names cannot be read');
    });
  },
);
