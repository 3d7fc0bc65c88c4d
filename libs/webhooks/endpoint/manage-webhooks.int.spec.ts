import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { fixedRing } from '../../../test/support/fixed-ring.js';
import type { EventStore } from '#event-store/event-store.js';
import { WebhookSecrets } from '../send/webhook-secrets.js';
import { TEST_URLS } from '../../../test/support/api/webhooks.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { newOrganisation } from '../../../test/support/api/test-api.js';
import { changeWebhook, createWebhook, rotateWebhookSecret, type WebhookServices } from './manage-webhooks.js';
import { findSealedSecrets, findWebhook } from './webhook.js';

const INPUT = { name: 'Payroll', url: 'https://hooks.example.com/in', subscribed_events: ['person.created'] };

const database = databaseForSpec();
let services: WebhookServices;
let organisationId: string;

beforeAll(async () => {
  const commands = testServices(database);
  services = {
    ...commands,
    executor: commands.executor as Pool,
    secrets: new WebhookSecrets(fixedRing(randomBytes(32))),
    urls: TEST_URLS,
  };
  organisationId = (await newOrganisation(services)).id;
});

/** A request that can be repeated. */
const request = () => ({ ...testContext(organisationId), idempotencyKey: 'key', fingerprint: 'fingerprint' });

/** Accepts the text of every address, and refuses every destination. */
const refusing = (error: Error) => ({ problemOf: () => null, vet: () => Promise.reject(error) });
const NOWHERE = refusing(Object.assign(new Error('refused'), { issue: 'does not resolve' }));

/** Reads a stream as two concurrent attempts do: both find the same end, and one of them appends first. */
function lateReader(store: EventStore, known: number): EventStore {
  let reads = 0;
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'readStream')
        return async (stream: string) =>
          (await target.readStream(stream)).slice(0, (reads += 1) > 2 ? undefined : known);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

it('answers and projects what the first of two attempts at once recorded, not the secret that the second one made', async () => {
  const context = request();
  const first = await createWebhook(services, context, INPUT, null);
  await database.pool.query('delete from webhooks where id = $1', [first.webhook.id]);
  const second = await createWebhook({ ...services, store: lateReader(services.store, 0) }, context, INPUT, null);
  expect(second).toEqual({ webhook: first.webhook, signingSecret: null });
  const sealed = (await findSealedSecrets(services.executor, organisationId, first.webhook.id))!;
  expect(await services.secrets.open(sealed.secret, first.webhook.id)).toBe(first.signingSecret);
});

it('finds what a repeated request recorded, wherever its address leads by now', async () => {
  const context = request();
  const { webhook } = await createWebhook(services, context, INPUT, null);
  expect(await createWebhook({ ...services, urls: NOWHERE }, context, INPUT, null)).toEqual({
    webhook,
    signingSecret: null,
  });
  const rejection = { rejection: { kind: 'invalid_request', details: [{ field: 'url', issue: 'does not resolve' }] } };
  await expect(createWebhook({ ...services, urls: NOWHERE }, request(), INPUT, null)).rejects.toMatchObject(rejection);
  await expect(
    changeWebhook(
      { ...services, urls: NOWHERE },
      request(),
      webhook.id,
      { changes: { url: 'https://other.example.com' } },
      null,
    ),
  ).rejects.toMatchObject(rejection);
  expect(
    await changeWebhook({ ...services, urls: NOWHERE }, request(), webhook.id, { changes: { url: INPUT.url } }, null),
  ).toEqual(webhook);
});

it('passes on what keeps an address from being looked up', async () => {
  await expect(
    createWebhook({ ...services, urls: refusing(new Error('the resolver is away')) }, request(), INPUT, null),
  ).rejects.toThrow('the resolver is away');
});

it('keeps the two newest secrets, sealed for their endpoint alone', async () => {
  const { webhook, signingSecret } = await createWebhook(services, request(), INPUT, null);
  const [second, third] = [
    await rotateWebhookSecret(services, request(), webhook.id, null),
    await rotateWebhookSecret(services, request(), webhook.id, null),
  ];
  const sealed = (await findSealedSecrets(services.executor, organisationId, webhook.id))!;
  const opened = await Promise.all(
    [sealed.secret, sealed.previous_secret!].map((text) => services.secrets.open(text, webhook.id)),
  );
  expect(opened).toEqual([third.signingSecret, second.signingSecret]);
  expect(opened).not.toContain(signingSecret);
  await expect(services.secrets.open(sealed.secret, 'wh_other')).rejects.toThrow();
  expect((await findWebhook(services.executor, organisationId, webhook.id))!.secret_last_four).toBe(
    third.signingSecret!.slice(-4),
  );
});
