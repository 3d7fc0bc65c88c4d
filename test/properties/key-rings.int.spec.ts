import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { KeyRingError, listVersions, retireVersion, rotateRing } from '#database/key-rings/administration.js';
import { currentOf, KeyRing, type RingName } from '#database/key-rings/key-ring.js';
import { MasterKeys } from '#database/key-rings/master-keys.js';
import { countPersonKeys, resealPersonKeys } from '#database/key-rings/person-key-reseal.js';
import { openPersonKeys, type StoredPersonKey, storingPersonKeys } from '#database/key-rings/person-key-seal.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { createPool } from '#database/pool.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { countRecordedWebhookSecrets, findEndpointsToReseal } from '#webhooks/endpoint/webhook-reseal.js';
import {
  changeWebhook,
  createWebhook,
  resealWebhookSecrets,
  rotateWebhookSecret,
  type WebhookServices,
} from '#webhooks/endpoint/manage-webhooks.js';
import { findSealedSecrets } from '#webhooks/endpoint/webhook.js';
import { secretsInForce } from '#webhooks/send/secrets-in-force.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { TEST_URLS } from '../support/api/webhooks.js';
import { testContext, testServices } from '../support/command-services.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const NO_MASTER_KEY = new MasterKeys([]);
const STEPS = ['write', 'write', 'write', 'rotate', 'reseal', 'retire'] as const;
type Step = (typeof STEPS)[number];

/** What processes do at the same moment, and after it the next. */
const histories = fc.array(
  fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat({ max: 1 })), { minLength: 1, maxLength: 6 }),
  {
    minLength: 4,
    maxLength: 8,
  },
);

let database: TestDatabase;
let pools: readonly [Pool, Pool];

beforeAll(async () => {
  database = await createTestDatabase();
  pools = [1, 2].map((number) => createPool(database.url, { applicationName: `process ${number}`, maximum: 12 })) as [
    Pool,
    Pool,
  ];
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

/** Refusals are answers too: a version that is current, gone, or in use. */
async function unlessRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof KeyRingError)) throw error;
  });
}

async function run(
  history: readonly (readonly (readonly [Step, number])[])[],
  steps: Readonly<Record<Step, (pool: Pool) => Promise<unknown>>>,
): Promise<void> {
  for (const instant of history)
    await Promise.all(instant.map(([step, process]) => unlessRefused(steps[step](pools[process as 0 | 1]))));
}

async function anyVersion(pool: Pool, ring: RingName): Promise<number> {
  const live = (await listVersions(pool)).filter((version) => version.ring === ring && version.retiredAt === null);
  return live[0]?.version ?? 1;
}

const WANTED = { name: 'Payroll', url: 'https://hooks.example.com/in', subscribed_events: ['person.created'] };

async function servicesOver(pool: Pool): Promise<WebhookServices> {
  const { webhookSecrets } = await loadInstallationKeys(pool);
  return {
    ...testServices({ ...database, pool }),
    executor: pool,
    secrets: new WebhookSecrets(webhookSecrets),
    urls: TEST_URLS,
  };
}

async function newOrganisation(): Promise<string> {
  const profile = {
    name: 'Acme',
    subdomain: `a${randomBytes(6).toString('hex')}`,
    country_code: 'GB',
    plan: 'starter',
    time_zone: 'UTC',
    approveWrites: false,
  } as const;
  return (await createOrganisation(await servicesOver(pools[0]), testContext(''), profile)).id;
}

function retireWebhookSecrets(
  { executor: pool, store: eventStore, projector }: WebhookServices,
  version: number,
): Promise<void> {
  return retireVersion(
    pool,
    'webhook_secrets',
    version,
    async () => (await countRecordedWebhookSecrets({ pool, eventStore, projector })).get(version) ?? 0,
  );
}

describe('whatever two processes do at once', () => {
  it('the keys of people stay readable', async () => {
    const written = new Map<string, string>();
    const store = (pool: Pool): Promise<unknown> => {
      const [personId, key] = [randomUUID(), randomBytes(32)];
      written.set(personId, key.toString('hex'));
      return storingPersonKeys(pool, (wrap) =>
        pool.query('insert into person_keys (organisation_id, person_id, key) values ($1, $2, $3)', [
          'org_one',
          personId,
          wrap({ organisationId: 'org_one', personId }, key),
        ]),
      );
    };
    const retire = async (pool: Pool): Promise<void> => {
      const version = await anyVersion(pool, 'personal_data');
      await retireVersion(
        pool,
        'personal_data',
        version,
        async (connection) => (await countPersonKeys(connection)).get(version) ?? 0,
      );
    };
    const steps = {
      write: store,
      rotate: (pool: Pool) => rotateRing(pool, 'personal_data', NO_MASTER_KEY),
      reseal: (pool: Pool) => resealPersonKeys(pool, () => undefined),
      retire,
    };
    let retired = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        await run(history, steps);
        const { rows } = await database.pool.query<StoredPersonKey>(
          'select organisation_id, person_id, key from person_keys',
        );
        for (const pool of pools) {
          const opened = new Map(
            (await openPersonKeys(pool, rows)).map(({ person_id: personId, key }) => [personId, key.toString('hex')]),
          );
          expect(opened).toEqual(written);
        }
        retired = (await listVersions(database.pool)).filter(({ retiredAt }) => retiredAt !== null).length;
      }),
      { numRuns: 12 },
    );
    // A run that never retires anything would show nothing.
    expect(retired).toBeGreaterThan(0);
  });

  it('the secrets of webhooks stay what they were', async () => {
    const processes = new Map<Pool, WebhookServices>();
    for (const pool of pools) processes.set(pool, await servicesOver(pool));
    const organisationId = await newOrganisation();
    const endpoints: { readonly id: string; known: readonly (string | null)[] }[] = [];
    const busy = new Set<string>();
    const write = async (pool: Pool): Promise<void> => {
      const services = processes.get(pool)!;
      const known = endpoints.find(({ id }) => !busy.has(id));
      if (known !== undefined && endpoints.length > 3) {
        // One rotation of an endpoint at a time: which of two is the newest nobody could say.
        busy.add(known.id);
        const { signingSecret } = await rotateWebhookSecret(services, testContext(organisationId), known.id, null);
        known.known = [signingSecret, known.known[0]!];
        busy.delete(known.id);
        return;
      }
      const { webhook, signingSecret } = await createWebhook(services, testContext(organisationId), WANTED, null);
      await changeWebhook(services, testContext(organisationId), webhook.id, { changes: {}, status: 'disabled' }, null);
      endpoints.push({ id: webhook.id, known: [signingSecret] });
    };
    const reseal = async (pool: Pool): Promise<void> => {
      const { version } = await currentOf(new KeyRing(pool, 'webhook_secrets'));
      for (const { webhookId } of await findEndpointsToReseal(pool, version))
        await resealWebhookSecrets(processes.get(pool)!, testContext(organisationId), webhookId);
    };
    const retire = async (pool: Pool): Promise<void> =>
      retireWebhookSecrets(processes.get(pool)!, await anyVersion(pool, 'webhook_secrets'));
    const steps = { write, rotate: (pool: Pool) => rotateRing(pool, 'webhook_secrets', NO_MASTER_KEY), reseal, retire };
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        await run(history, steps);
        for (const { secrets, executor } of processes.values()) {
          for (const { id, known } of endpoints) {
            expect(
              await secretsInForce(secrets, id, (await findSealedSecrets(executor, organisationId, id))!, new Date()),
            ).toEqual(known);
          }
        }
      }),
      { numRuns: 6 },
    );
    expect(
      (await listVersions(database.pool)).filter(
        ({ ring, retiredAt }) => ring === 'webhook_secrets' && retiredAt !== null,
      ),
    ).not.toEqual([]);
  });

  it('no version is retired between the sealing of a secret and its recording', async () => {
    const [one, other] = await Promise.all(pools.map(servicesOver));
    const organisationId = await newOrganisation();
    const version = await rotateRing(pools[0], 'webhook_secrets', NO_MASTER_KEY);
    let reached: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const sealed = new Promise<void>((resolve) => (reached = resolve));
    const mayRecord = new Promise<void>((resolve) => (goOn = resolve));
    const store = Object.create(one!.store) as WebhookServices['store'];
    store.append = async (...parameters) => {
      reached();
      await mayRecord;
      return one!.store.append(...parameters);
    };
    const creating = createWebhook({ ...one!, store }, testContext(organisationId), WANTED, null);
    await sealed;
    await rotateRing(pools[1], 'webhook_secrets', NO_MASTER_KEY);
    let isSettled = false;
    const retiring = retireWebhookSecrets(other!, version)
      .then(
        () => 'retired',
        (error: Error) => error.message,
      )
      .finally(() => (isSettled = true));
    const isWaiting = async (): Promise<boolean> =>
      (
        await database.pool.query(
          "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
        )
      ).rowCount !== 0;
    while (!isSettled && !(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 10));
    goOn();
    const { webhook, signingSecret } = await creating;
    expect(await retiring).toBe(`Version ${version} still seals 1 value: reseal the ring first.`);
    expect(
      await secretsInForce(
        other!.secrets,
        webhook.id,
        (await findSealedSecrets(pools[1], organisationId, webhook.id))!,
        new Date(),
      ),
    ).toEqual([signingSecret]);
  });
});
