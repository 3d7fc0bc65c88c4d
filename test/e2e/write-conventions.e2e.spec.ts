import { randomUUID } from 'node:crypto';
import { openSandbox, prepareSandbox } from '#access/sandbox/sandbox.js';
import { PROJECTIONS } from '#composition/registry.js';
import { commandMcpPolicy } from '#mcp/policy/mcp-policy.api.js';
import { markPayroll } from '#payroll/marker/payroll-marker.api.js';
import { Projector } from '#projections/projector.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { operationsOf } from '../support/api/document-walk.js';
import type { Request } from '../support/api/derived-requests.js';
import { SCENARIOS } from '../support/api/derived-scenarios.js';
import { recordEverything } from '../support/api/everything.js';
import { type ApiAnswer, expectError, type SendOptions } from '../support/api/http-client.js';
import { ScenarioSetting } from '../support/api/scenario-setting.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { allReadable } from '../support/postgres.js';

const CLOCK = { now: () => new Date('2026-06-15T12:00:00Z') };
/** What an answer shows the first time only. */
const SECRETS = /"(signing_secret|api_key|sign_in_link|sign_in_link_expires_at)":"[^"]+"/g;

let at: ScenarioSetting;

const api = TestApi.forSpec({ clock: CLOCK });
beforeEach(async () => {
  at = new ScenarioSetting(api, await api.organisation());
});

const send = ({ method, path, body, ifMatch }: Request, options: SendOptions): Promise<ApiAnswer> =>
  at.client.send(method, path, { body, ifMatch, ...options });

/** Whether a write takes If-Match, and whether it requires one. */
function ifMatchOf(name: string): { readonly isTaken: boolean; readonly isRequired: boolean } {
  const { operation } = operationsOf(api.check.document).find(
    ({ method, template }) => `${method} ${template}` === name,
  )!;
  const header = operation.parameters?.find((one) => 'name' in one && one.name === 'If-Match');
  return { isTaken: header !== undefined, isRequired: header !== undefined && header.required === true };
}

describe.each(Object.keys(SCENARIOS))('%s', (name) => {
  it('needs an Idempotency-Key and the latest entity tag, and is done once for each key', async () => {
    const { request, other } = await SCENARIOS[name]!(at);
    const { isTaken, isRequired } = ifMatchOf(name);
    expectError(await send(request, { idempotencyKey: null }), 400, 'idempotency_required');
    if (isRequired) expectError(await send(request, { ifMatch: undefined }), 428, 'precondition_required');
    if (isTaken) expectError(await send(request, { ifMatch: '"stale"' }), 412, 'precondition_failed');

    const idempotencyKey = randomUUID();
    const first = await send(request, { idempotencyKey });
    expect([first.status < 300 || first.text, first.headers['idempotent-replayed']]).toEqual([true, undefined]);
    const again = await send(request, { idempotencyKey });
    expect([again.status, again.headers['idempotent-replayed'], again.headers['service-resource-etag']]).toEqual([
      first.status,
      'true',
      first.headers['service-resource-etag'],
    ]);
    expect(again.text).toBe(first.text.replace(SECRETS, '"$1":null'));
    if (other !== undefined) expectError(await send(other, { idempotencyKey }), 409, 'idempotency_conflict');
  });
});

describe('the read tables after all these writes', () => {
  beforeAll(async () => {
    const organisation = await api.organisation();
    const ids = await recordEverything(api, organisation);
    const context = () => testContext(organisation.row.id);
    const { services } = api;
    const marker = { marker: 'compensation', state: 'changed', effective_date: '2026-05-01' } as const;
    await markPayroll(services, context(), ids.get('person')!, marker);
    const operations = ['createPerson'];
    await commandMcpPolicy(services, context(), { type: 'allow', operations, proposable: operations });
    await openSandbox(services, context(), (await prepareSandbox(services, context())).id, '2026-03-01');
  });

  it.each(PROJECTIONS)('are the same when they are built anew: $name', async (projection) => {
    const { database, services } = api;
    const { differences, rows } = await rebuild(
      { pool: database.pool, eventStore: services.store, clock: CLOCK },
      projection,
    );
    expect([differences, rows > 0]).toEqual([0, true]);
  });

  it('do not change when every stream is projected again', async () => {
    const { database, services } = api;
    const contents = async () =>
      Promise.all(PROJECTIONS.map(async ({ name }) => (await database.pool.query(`select * from ${name}`)).rows));
    const before = await contents();
    await allReadable(database.pool);
    const events = await services.store.readAll(null, 10_000);
    const streams = await services.store.readStreams([...new Set(events.map(({ stream }) => stream))]);
    const projector = new Projector(PROJECTIONS, CLOCK);
    await projector.project(database.pool, streams);
    expect(await contents()).toEqual(before);
    expect(await projector.stale(database.pool, events)).toEqual([]);
  });
});
