import { PROJECTIONS } from '#composition/registry.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { DeliveryQueues, dueNow, QUEUES } from '#webhooks/deliver/delivery-queues.js';
import { startOperations } from '#worker/operations/operations.js';
import type { WalkedOperation } from '../support/api/document-walk.js';
import { exampleRequest } from '../support/api/example-requests.js';
import { type ApiAnswer, type ApiClient, dataOf } from '../support/api/http-client.js';
import { formsOf, MarkerSearch } from '../support/api/markers.js';
import { PrivateSetting } from '../support/api/private-setting.js';
import { MARKERS, PRIVATE } from '../support/api/private-values.js';
import { recordedEvents } from '../support/event-store.js';
import { testJobs } from '../support/worker.js';
import { DEFAULT_CONFIGURATION } from '../support/http/default-configuration.js';
import { commandNames } from '../support/session/in-process-program.js';

const SEARCH = new MarkerSearch(MARKERS);
/** Needed to ask for what changed; the person begins within it. */
const WINDOW = { from: '2023-12-01', to: '2024-12-31' };

let setting: PrivateSetting;

beforeAll(async () => {
  setting = await PrivateSetting.make();
});

afterAll(() => setting.end());

function pathOf(walked: WalkedOperation): string {
  const { path } = exampleRequest(walked, (kind) => setting.idOf(kind));
  const url = new URL(path, 'http://x');
  for (const [name, value] of Object.entries(WINDOW)) if (url.searchParams.has(name)) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

function read(client: ApiClient, walked: WalkedOperation): Promise<ApiAnswer> {
  return client.get(pathOf(walked));
}

const reads = (): readonly WalkedOperation[] => setting.operations().filter(({ method }) => method === 'GET');

/** Whether one of the webhooks' secrets is in a text, in one of the forms in which it could rest. */
function hasSigningSecret(text: string): boolean {
  return setting.signingSecrets.flatMap(formsOf).some((form) => text.includes(form));
}

/** The kinds that rest in the clear, by table. */
async function kindsByTable(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows: tables } = await setting.api.database.pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  // On another event store that table is empty.
  const eventTexts = (await recordedEvents(setting.api.database.pool)).map((event) => JSON.stringify(event)).join('\n');
  const found = new Map<string, readonly string[]>();
  for (const { name } of tables) {
    const { rows } = await setting.api.database.pool.query<{ text: string | null }>(
      `select string_agg(t::text, chr(10)) as text from ${name} t`,
    );
    const text = `${rows[0]!.text ?? ''}${name === 'events' ? eventTexts : ''}`;
    expect([name, text.includes(setting.organisation.apiKey), hasSigningSecret(text)]).toEqual([name, false, false]);
    found.set(name, SEARCH.kindsIn(text));
  }
  return found;
}

describe('private texts', () => {
  it('are in the answers of the reads that may show them, each of them somewhere, and in no other answer', async () => {
    const shown = new Map<string, string>();
    for (const walked of reads()) {
      const answer = await read(setting.everybody, walked);
      expect([walked.template, answer.status]).toEqual([walked.template, 200]);
      const { operationId } = walked.operation;
      const kinds = SEARCH.kindsIn(answer.text);
      expect([
        operationId,
        kinds.filter((kind) => !PRIVATE[kind]!.operations.has(operationId)),
        hasSigningSecret(answer.text),
      ]).toEqual([operationId, [], false]);
      for (const kind of kinds) shown.set(kind, operationId);
    }
    expect([...shown.keys()].sort()).toEqual(
      Object.keys(PRIVATE)
        .filter((kind) => PRIVATE[kind]!.operations.size > 0)
        .sort(),
    );
  });

  it('are hidden from a key that lacks the scopes that open them', async () => {
    let asked = 0;
    for (const walked of reads()) {
      const answer = await read(setting.ordinary, walked);
      asked += answer.status === 200 ? 1 : 0;
      const kinds = SEARCH.kindsIn(answer.text).filter((kind) => PRIVATE[kind]!.scopes.length > 0);
      expect([walked.template, kinds]).toEqual([walked.template, []]);
    }
    expect(asked).toBeGreaterThan(25);
  });

  it('rest in the clear in no table but those that are named, the events least of all', async () => {
    const found = await kindsByTable();
    for (const [table, kinds] of found)
      expect([table, kinds.filter((kind) => !PRIVATE[kind]!.tables.has(table))]).toEqual([table, []]);
    expect([...new Set([...found.values()].flat())].sort()).toEqual(['email', 'name', 'reason', 'staff_id']);
  });

  it('are in the output of no command but those that are named', async () => {
    const own = { organisation: setting.organisation.row.id };
    const ofAll = new Set(['organisations list', 'secrets list', 'audit anchors list', 'config show']);
    await setting.program.run('sandbox refresh', [], own);
    const shown = new Map([
      ['people show', [setting.personId]],
      ['org-units show', [setting.idOf('org_unit_')]],
      ['working-patterns show', [setting.idOf('working_pattern_')]],
      ['time-off show', [setting.idOf('to_')]],
      ['time-off-balances show', [setting.personId]],
      ['proposals show', [setting.idOf('wpr_')]],
    ]);
    const printing: readonly (readonly [name: string, positional: readonly string[], options: object])[] = [
      ...(await commandNames())
        .filter((name) => / (list|show)$/.test(name))
        .map(
          (name) =>
            [
              name,
              shown.get(name) ?? [],
              ofAll.has(name) ? {} : { ...own, ...(name === 'reference list' ? { dictionary: 'document-types' } : {}) },
            ] as const,
        ),
      ['timeline', [setting.personId], own],
      ['projections status', [], {}],
      ['deliveries', [], { status: 'all' }],
      ['people erasures', [], own],
      ['audit report', [], { ...own, from: '2020-01-01' }],
      ['audit verify', [], {}],
    ];
    for (const [name, positional, options] of printing) {
      for (const json of [null, true]) {
        const ran = await setting.program.run(name, positional, { ...options, json });
        expect([name, ran.exitCode]).toEqual([name, 0]);
        const kinds = SEARCH.kindsIn(ran.stdout + ran.stderr);
        expect([
          name,
          kinds.filter((kind) => !PRIVATE[kind]!.commands.has(name)),
          hasSigningSecret(ran.stdout + ran.stderr),
        ]).toEqual([name, [], false]);
      }
    }
  });

  it('are in no measurement', async () => {
    const settings = {
      pool: setting.api.database.pool,
      eventStore: setting.api.services.store,
      logger: setting.logged.logger,
      readiness: () => [],
    };
    const operations = await startOperations({
      ...settings,
      port: 0,
      configuration: { ...DEFAULT_CONFIGURATION, operationsToken: null } as never,
    });
    try {
      const metrics = await (await fetch(`${operations.url}/metrics`)).text();
      expect(metrics).toContain('workforce_projection_lag_seconds');
      expect(SEARCH.kindsIn(metrics + (await (await fetch(`${operations.url}/health/ready`)).text()))).toEqual([]);
    } finally {
      await operations.stop();
    }
  });

  it('are on no page of the dashboard of deliveries, and in no overview of them', async () => {
    const { pool } = setting.api.database;
    const jobs = testJobs(setting.api.database);
    const deliveries = new DeliveryQueues(jobs);
    const queues = Object.values(QUEUES).map((name) => jobs.queue(name));
    await Promise.all(queues.map((queue) => queue.whenReady()));
    const settings = {
      pool,
      eventStore: setting.api.services.store,
      logger: setting.logged.logger,
      readiness: () => [],
      queues,
    };
    const operations = await startOperations({
      ...settings,
      port: 0,
      configuration: { ...DEFAULT_CONFIGURATION, operationsToken: null } as never,
    });
    try {
      const { rows } = await pool.query<Parameters<typeof dueNow>[1] & { organisation_id: string; url: string }>(
        'select d.*, w.url from webhook_deliveries d join webhooks w on w.id = d.webhook_id',
      );
      expect(rows.length).toBeGreaterThan(0);
      const pages = ['/deliveries?status=all', '/queues', '/queues/api/queues', '/queues/api/redis/stats'];
      for (const status of ['latest', 'waiting', 'delayed', 'active', 'paused', 'completed', 'failed'])
        for (const name of Object.values(QUEUES))
          pages.push(`/queues/api/queues?activeQueue=${name}&status=${status}&page=1&jobsPerPage=100`);
      await deliveries.add(rows.map((row) => dueNow(row.organisation_id, row)));
      const jobPages = `/queues/api/queues/${QUEUES.deliveries}`;
      for (const { id } of rows.slice(0, 20)) pages.push(`${jobPages}/${id}-1`, `${jobPages}/${id}-1/logs`);
      for (const page of pages) {
        const answer = await fetch(`${operations.url}${page}`);
        const text = await answer.text();
        const urls = rows.filter(({ url }) => text.includes(url) || text.includes(new URL(url).host));
        expect([page, answer.status, SEARCH.kindsIn(text), hasSigningSecret(text), urls]).toEqual([
          page,
          200,
          [],
          false,
          [],
        ]);
      }
    } finally {
      await operations.stop();
      await jobs.close();
    }
  });

  it('come with no link to the picture into the log, and with no answer where a stored value is broken', async () => {
    const path = `/people/${setting.personId}`;
    const { download_url: url } = dataOf(
      200,
      await setting.everybody.get<{ readonly download_url: string }>(`${path}/avatar`),
    );
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(`${url}x`)).status).toBe(404);
    await setting.api.database.pool.query(
      "update personal_profiles set middle_names = date_of_birth, personal_email = 'AQ==' where person_id = $1",
      [setting.personId],
    );
    const broken = await fetch(`${setting.logged.url}/api/v1${path}/personal`, {
      headers: { authorization: `Bearer ${setting.organisation.apiKey}` },
    });
    expect([broken.status, SEARCH.kindsIn(await broken.text())]).toEqual([500, []]);
    expect(setting.logged.said()).toContain('a request failed');
    expect(setting.logged.said()).not.toContain(url.split('/').at(-1)!.slice(0, 40));
  });

  it('were in no line of the log', () => {
    expect(setting.logged.said().split('\n').length).toBeGreaterThan(50);
    expect(SEARCH.kindsIn(setting.logged.said())).toEqual([]);
    expect(hasSigningSecret(setting.logged.said())).toBe(false);
  });

  it('are gone with the key of the person, once the tables were built anew: but for the reservation of the address, and receipts for their seven days', async () => {
    const { pool } = setting.api.database;
    await pool.query('delete from person_keys where person_id = $1', [setting.personId]);
    for (const projection of PROJECTIONS)
      await rebuild({ pool, eventStore: setting.api.services.store, clock: { now: () => new Date() } }, projection);
    const left = [...(await kindsByTable())].filter(([, kinds]) => kinds.length > 0).map(([table]) => table);
    expect(left.sort()).toEqual(['employment_facts', 'events', 'idempotency_receipts', 'work_email_reservations']);
    expect((await kindsByTable()).get('events')).toEqual(['reason']);
    for (const walked of reads()) {
      // Not held against the document: `[erased]` is no e-mail address.
      const answer = await fetch(`${setting.logged.url}/api/v1${pathOf(walked)}`, {
        headers: { authorization: `Bearer ${setting.organisation.apiKey}` },
      });
      expect([walked.template, answer.status < 500]).toEqual([walked.template, true]);
      const kinds = SEARCH.kindsIn(await answer.text()).filter((kind) => kind !== 'reason');
      expect([walked.template, kinds]).toEqual([walked.template, []]);
    }
  });
});
