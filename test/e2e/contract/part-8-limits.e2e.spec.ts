/**
 * Parts 8 and 9 of the contract, "Limits" and "Versioning", row by row in their order. What limits deliveries
 * is tried with webhooks.
 */
import { startApi } from '#api/start-api.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { setAvatar } from '#people/picture/avatar.api.js';
import { CustomFieldActions } from '../../support/api/custom-fields.js';
import { dataOf, expectError } from '../../support/api/http-client.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { TestApi } from '../../support/api/test-api.js';
import { newEndpoint, testWebhooks, WebhookActions } from '../../support/api/webhooks.js';
import { testContext } from '../../support/command-services.js';
import type { Shown } from '../../support/contract/kinds.js';
import { DEFAULT_CONFIGURATION } from '../../support/http/default-configuration.js';
import { jpegPicture, pngPicture } from '../../support/pictures.js';

const api = TestApi.forSpec();
const own = api.organisationForSpec();
const people = new PeopleActions(own);

describe('Limits', () => {
  it('Active webhook endpoints per organisation | 10', async () => {
    const { client } = await api.organisation();
    const webhooks = new WebhookActions({ client });
    for (let count = 0; count < 10; count += 1) await webhooks.create();
    expectError(await client.post('/webhooks', newEndpoint()), 409, 'conflict', 'webhooks');
  });

  it('Webhook lifecycle mutations have their own per-key and per-organisation rate limits', async () => {
    const { pool } = api.database;
    const settings = {
      pool,
      eventStore: api.services.store,
      keys: await loadInstallationKeys(pool),
      environment: 'live',
      port: 0,
      webhooks: testWebhooks(),
    } as const;
    const limited = await startApi({
      ...settings,
      configuration: { ...DEFAULT_CONFIGURATION, rateLimitWebhookKey: 2, rateLimitWebhookOrganisation: 3 },
    });
    try {
      const { row } = await api.organisation();
      const [one, other] = [
        api.client((await api.key(row)).apiKey, limited.url),
        api.client((await api.key(row)).apiKey, limited.url),
      ];
      const { id } = await new WebhookActions({ client: one }).create();
      await new WebhookActions({ client: one }).change(id, { name: 'Other' });
      expectError(await one.patch(`/webhooks/${id}`, { name: 'Third' }), 429, 'rate_limited');
      expectError(await other.send('DELETE', `/webhooks/${id}`), 429, 'rate_limited');
      expect((await one.get(`/webhooks/${id}`)).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });

  it('Payroll changes export period | at most 400 days, inclusive', async () => {
    const window = (from: string, to: string) => own.client.get('/payroll-changes-export', { from, to });
    expect((await window('2024-01-01', '2025-02-03')).status).toBe(200);
    expectError(await window('2024-01-01', '2025-02-04'), 400, 'invalid_request', 'to');
    expect((await window('2024-01-01', '2024-01-01')).status).toBe(200);
    expectError(await window('2024-01-02', '2024-01-01'), 400, 'invalid_request', 'to');
  });

  it.each([
    ['contracted_weekly_minutes', 0],
    ['full_time_weekly_minutes', 1],
  ])('%s | %i to 10080', async (field, minimum) => {
    const create = (value: number) => own.client.post<Shown>('/people', { work_email: newEmail(), [field]: value });
    for (const value of [minimum, 10_080]) expect(dataOf(201, await create(value))[field]).toBe(value);
    for (const value of [minimum - 1, 10_081, minimum + 0.5])
      expectError(await create(value), 400, 'invalid_request', field);
    const { id } = await people.create({ start_date: '2024-01-01' });
    const change = async (value: number) =>
      own.client.patch(
        `/people/${id}/employment`,
        { start_date: '2024-02-01', [field]: value },
        { ifMatch: await people.employmentTag(id) },
      );
    expect((await change(minimum)).status).toBe(200);
    for (const value of [minimum - 1, 10_081]) expectError(await change(value), 400, 'invalid_request', field);
  });

  it('Avatar byte size; dimensions | 1 to 2097152 bytes; 1 to 4096 px', async () => {
    const { id } = await people.create();
    const set = (bytes: Buffer) => setAvatar(api.services, testContext(own.row.id), id, bytes);
    const maximum = pngPicture({ width: 4_096, height: 1, bytes: 2_097_152 });
    const refusal = { rejection: { kind: 'invalid_request', details: [{ field: 'file' }] } };
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.concat([maximum, Buffer.alloc(1)]),
      jpegPicture(4_097, 1),
      jpegPicture(1, 4_097),
      jpegPicture(0, 1),
    ])
      await expect(set(bytes)).rejects.toMatchObject(refusal);
    expectError(await own.client.get(`/people/${id}/avatar`), 404, 'not_found');
    await set(maximum);
    expect(dataOf(200, await own.client.get<Shown>(`/people/${id}/avatar`))).toMatchObject({
      byte_size: 2_097_152,
      width_px: 4_096,
      height_px: 1,
    });
  });

  it('Custom-field key | 2 to 64 characters, pattern `^[a-z][a-z0-9_]{1,63}$`', async () => {
    const fields = new CustomFieldActions(api, own);
    const keys = ['ab', 'a1', 'a_', 'a'.repeat(64)];
    for (const key of keys) await fields.define(key);
    for (const key of ['a', 'a'.repeat(65), '1a', 'Ab', 'a-b', 'é1', '_a', ''])
      await expect(fields.define(key, { label: 'Any' })).rejects.toMatchObject({
        rejection: { kind: 'invalid_request', details: [{ field: 'key' }] },
      });
    expect(
      dataOf(200, await own.client.get<readonly Shown[]>('/custom-fields'))
        .map(({ key }) => key)
        .sort(),
    ).toEqual([...keys].sort());
  });

  it('Rate limits apply to all calls, with response headers reporting them', async () => {
    const { id } = await people.create();
    const answers = [
      await own.client.get('/me'),
      await own.client.get(`/people/${id}`),
      await own.client.get('/people/0123456789ab'),
      await own.client.get('/nowhere'),
      await own.client.post('/people', {}),
      await own.client.patch(`/people/${id}`, {}, { ifMatch: await people.personTag(id) }),
      await api.client(null).get('/me'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 400, 200, 401]);
    for (const { headers } of answers) {
      expect(headers['ratelimit-policy']).toMatch(/^"[a-z-]+";q=\d+;w=60(, "[a-z-]+";q=\d+;w=60)*$/);
      expect(headers['ratelimit']).toMatch(/^"[a-z-]+";r=\d+;t=\d+(, "[a-z-]+";r=\d+;t=\d+)*$/);
    }
    const left = answers
      .slice(0, 2)
      .map(({ headers }) => Number(/"key";r=(\d+)/.exec(String(headers['ratelimit']))![1]));
    expect(left[0]! - left[1]!).toBe(1);
  });
});

describe('Versioning', () => {
  it('Path prefix /api/v1; metadata `metadata_version` is `v1`; the contract version string is `1.0.0-foundation`', async () => {
    const bare = await fetch(`${api.url}/me`, { headers: { authorization: `Bearer ${own.apiKey}` } });
    expect(bare.status).toBe(404);
    expect((await own.client.get('/me')).status).toBe(200);
    expect(dataOf(200, await own.client.get<Shown>('/metadata'))).toMatchObject({
      metadata_version: 'v1',
      api_version: '1.0.0-foundation',
    });
    expect(api.check.document).toMatchObject({ info: { version: '1.0.0-foundation' } });
  });
});
