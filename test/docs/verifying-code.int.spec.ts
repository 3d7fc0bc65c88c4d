import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedRing } from '../support/fixed-ring.js';
import { envelopeOf } from '#webhooks/deliver/envelope.js';
import { Sender, type Sent } from '#webhooks/send/sender.js';
import { signedHeaders } from '#webhooks/send/signature.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { verifyWebhook } from '../../docs/examples/verify-webhook.js';
import { readVector } from '../support/webhooks/vector.js';
import {
  EXAMPLES,
  type Language,
  LANGUAGES,
  type RunningVerifier,
  startVerifier,
} from '../support/webhooks/verifiers.js';

const [SECRET, OTHER_SECRET] = Array.from({ length: 2 }, () =>
  new WebhookSecrets(fixedRing(Buffer.alloc(32))).create(),
) as [string, string];
const MINUTE = 60;
const { secrets: VECTOR_SECRETS, body: VECTOR_BODY, headers: VECTOR_HEADERS } = readVector();
const VECTOR_TIMESTAMP = Number(VECTOR_HEADERS['Service-Webhook-Timestamp']);

interface Delivery {
  readonly eventId: string;
  readonly body?: string;
  readonly secrets?: readonly [string, ...string[]];
  readonly secondsAgo?: number;
  /** Headers that are sent instead of those that were signed. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The body that is sent instead of the one that was signed. */
  readonly bodyInstead?: string;
}

describe.each(LANGUAGES)('the verifying code in %s', (language) => {
  const sender = new Sender({ guard: new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }) });
  let verifier: RunningVerifier;

  beforeAll(async () => {
    verifier = await startVerifier(language, SECRET);
  });
  afterAll(async () => {
    await sender.close();
    await verifier.end();
  });

  const bodyOf = (id: string): string =>
    JSON.stringify(
      envelopeOf({
        id,
        type: 'person.updated',
        occurredAt: '2026-01-01T00:00:00.000Z',
        resourceId: '1d4h14kj7caw',
        resourceType: 'person',
      }),
    );

  function deliver({
    eventId,
    body = bodyOf(eventId),
    secrets = [SECRET],
    secondsAgo = 0,
    instead = {},
    bodyInstead = body,
  }: Delivery): Promise<Sent> {
    const timestamp = Math.floor(Date.now() / 1_000) - secondsAgo;
    const headers = signedHeaders({
      eventId,
      deliveryId: 'whd_1',
      eventType: 'person.updated',
      timestamp,
      body,
      secrets,
    });
    return sender.send({
      url: `http://127.0.0.1:${verifier.port}/in`,
      headers: { ...headers, ...instead },
      body: bodyInstead,
    });
  }

  it('takes a real delivery, and handles it once however often it comes', async () => {
    for (let time = 0; time < 3; time += 1)
      expect(await deliver({ eventId: 'evt_often' })).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
    expect(await handledBefore('evt_next')).toEqual([bodyOf('evt_often')]);
  });

  /** What was handled before an event that is sent now, and is genuine. */
  async function handledBefore(eventId: string): Promise<readonly string[]> {
    expect(await deliver({ eventId })).toMatchObject({ outcome: 'delivered' });
    while (!verifier.handled.includes(bodyOf(eventId))) await new Promise((resolve) => setImmediate(resolve));
    return verifier.handled.slice(0, verifier.handled.indexOf(bodyOf(eventId)));
  }

  const taken: readonly Delivery[] = [
    { eventId: 'evt_rotated_newest', secrets: [SECRET, OTHER_SECRET] },
    { eventId: 'evt_rotated_older', secrets: [OTHER_SECRET, SECRET] },
    { eventId: 'evt_late', secondsAgo: 5 * MINUTE - 5 },
    { eventId: 'evt_early', secondsAgo: -5 * MINUTE + 5 },
    { eventId: 'evt_spaced', body: '{ "type":"x", "id":\t"evt_spaced", "more": "Žofie \\u0041" }' },
  ];
  it.each(taken)('takes $eventId', async (delivery) => {
    expect(await deliver(delivery)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
  });

  const refused: readonly Delivery[] = [
    { eventId: 'evt_other_secret', secrets: [OTHER_SECRET] },
    { eventId: 'evt_old', secondsAgo: 5 * MINUTE + 5 },
    { eventId: 'evt_future', secondsAgo: -5 * MINUTE - 5 },
    { eventId: 'evt_other_body', bodyInstead: '{"id":"evt_other_body"}' },
    { eventId: 'evt_one_more_byte', bodyInstead: `${bodyOf('evt_one_more_byte')}\n` },
    { eventId: 'evt_other_id', instead: { 'Service-Webhook-Id': 'evt_different' } },
    {
      eventId: 'evt_other_timestamp',
      instead: { 'Service-Webhook-Timestamp': String(Math.floor(Date.now() / 1_000) - 250) },
      secondsAgo: 10,
    },
    { eventId: 'evt_no_number', instead: { 'Service-Webhook-Timestamp': 'now' } },
    { eventId: 'evt_exponent', instead: { 'Service-Webhook-Timestamp': '1e9' } },
    { eventId: 'evt_no_timestamp', instead: { 'Service-Webhook-Timestamp': '' } },
    { eventId: 'evt_no_signature', instead: { 'Service-Webhook-Signature': '' } },
    { eventId: 'evt_empty_signature', instead: { 'Service-Webhook-Signature': 'v1=' } },
    { eventId: 'evt_other_version', instead: { 'Service-Webhook-Signature': `v2=${'0'.repeat(64)}` } },
    { eventId: 'evt_commas', instead: { 'Service-Webhook-Signature': ',,,' } },
    { eventId: 'evt_not_ascii', instead: { 'Service-Webhook-Signature': 'v1=é' } },
  ];
  it.each(refused)('refuses $eventId', async (delivery) => {
    expect(await deliver(delivery)).toMatchObject({ outcome: 'failed', httpStatus: 400 });
  });
  it('has handled every genuine one and none that it refused', async () => {
    const ids = (await handledBefore('evt_last')).map((text) => (JSON.parse(text) as { id: string }).id);
    expect(ids).toEqual(['evt_often', 'evt_next', ...taken.map(({ eventId }) => eventId)]);
  });
});

const VECTOR_CHECKS: Readonly<
  Record<Exclude<Language, 'Go' | 'C#'>, (secret: string, secondsLater: number) => boolean>
> = {
  TypeScript: (secret, secondsLater) => {
    const headers = Object.fromEntries(
      Object.entries(VECTOR_HEADERS).map(([name, value]) => [name.toLowerCase(), value]),
    );
    try {
      return (
        verifyWebhook(headers, Buffer.from(VECTOR_BODY), secret, VECTOR_TIMESTAMP + secondsLater) ===
        VECTOR_HEADERS['Service-Webhook-Id']
      );
    } catch {
      return false;
    }
  },
  Python: (secret, secondsLater) => {
    const program =
      'import json, runpy, sys; verify = runpy.run_path(sys.argv[1])["verify_webhook"]; given = json.load(sys.stdin); print(verify(given[0], given[1].encode(), given[2], given[3]))';
    const input = JSON.stringify([VECTOR_HEADERS, VECTOR_BODY, secret, VECTOR_TIMESTAMP + secondsLater]);
    return (
      spawnSync('python3', ['-B', '-c', program, join(EXAMPLES, 'verify-webhook.py')], { input })
        .stdout.toString()
        .trim() === VECTOR_HEADERS['Service-Webhook-Id']
    );
  },
};

/** Go asks the same in the test beside its code; the receiver in C# gets real deliveries only. */
describe.each(LANGUAGES.filter((language) => language !== 'Go' && language !== 'C#'))(
  'the test vector of the documentation in %s',
  (language) => {
    const check = VECTOR_CHECKS[language];

    it('is taken with either secret, up to five minutes later', () => {
      expect(VECTOR_SECRETS.map((secret) => check(secret, 5 * MINUTE))).toEqual([true, true]);
    });
    it('is refused later, and with another secret', () => {
      expect([check(VECTOR_SECRETS[0], 5 * MINUTE + 1), check(OTHER_SECRET, 0)]).toEqual([false, false]);
    });
  },
);

if (LANGUAGES.includes('Go')) it('the test of the Go code passes', () => expect(passesGoTest()).toBe(true));

/** Go wants a folder of its own for a test. */
function passesGoTest(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'verify-webhook-'));
  for (const name of ['verify-webhook.go', 'verify-webhook_test.go'])
    copyFileSync(join(EXAMPLES, name), join(folder, name));
  spawnSync('go', ['mod', 'init', 'verify'], { cwd: folder });
  const { status } = spawnSync('go', ['test', './...'], { cwd: folder });
  rmSync(folder, { recursive: true });
  return status === 0;
}
