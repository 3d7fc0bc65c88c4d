/**
 * Part 1 of the contract, "What the service does" and "Conventions", row by row in its order; the MCP
 * endpoint is not here.
 */
import { randomUUID } from 'node:crypto';
import { apiRoutes } from '#api/listener.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { operationsOf } from '../../support/api/document-walk.js';
import { followLog } from '../../support/follow-log.js';
import { recordEverything } from '../../support/api/everything.js';
import { exampleRequest } from '../../support/api/example-requests.js';
import { type ApiAnswer, type ApiClient, dataOf, expectError } from '../../support/api/http-client.js';
import { checkedChanges, checkedImport } from '../../support/api/imports.js';
import { newEmail, PeopleActions } from '../../support/api/people.js';
import { newKey, TestApi } from '../../support/api/test-api.js';
import { WebhookActions } from '../../support/api/webhooks.js';
import { testContext } from '../../support/command-services.js';
import { date, dateTime, id, personId, type Shown } from '../../support/contract/kinds.js';

/** The lists of this kind that the contract does not name. */
const further = (kind: 'list' | 'page', named: readonly string[]): readonly string[] =>
  apiRoutes(RESOURCE_MODULES)
    .filter(({ path, operation }) => operation.responseKind === kind && !named.includes(path))
    .map(({ path }) => path);
const UNPAGED_BY_CONTRACT = [
  '/organisation/locations',
  '/org-units',
  '/working-patterns',
  '/custom-fields',
  '/public-holidays',
  '/reference/countries',
  '/reference/statuses',
  '/reference/work-types',
  '/reference/work-places',
  '/reference/time-off-statuses',
  '/reference/time-off-categories',
  '/reference/document-types',
];
const PAGED_BY_CONTRACT = [
  '/people',
  '/time-off',
  '/documents',
  '/provider-mappings',
  '/time-off/categories',
  '/payroll-readiness-export',
  '/payroll-changes-export',
  '/people/{personId}/employment-history',
  '/webhooks',
  '/webhooks/{webhookId}/deliveries',
];
const UNPAGED = [...UNPAGED_BY_CONTRACT, ...further('list', UNPAGED_BY_CONTRACT)];
const PAGED = [...PAGED_BY_CONTRACT, ...further('page', PAGED_BY_CONTRACT)];
/** Lists that a client may follow by `updated_since`. */
const FOLLOWED = ['/people', '/time-off', '/documents'];
const SORTED = ['/people', '/time-off'];

/** On the plan `starter`, and on `standard` without the operator's approval. */
let starter: ApiClient;
let unapproved: ApiClient;
/** Every read of the API, over an organisation that has everything twice, by its path template. */
const reads = new Map<string, { readonly path: string; readonly answer: ApiAnswer }>();

const api = TestApi.forSpec();
const own = api.organisationForSpec();

beforeAll(async () => {
  const people = new PeopleActions(own);
  await recordEverything(api, own);
  const ids = await recordEverything(api, own);
  for (const start_date of ['2024-01-01', '2024-01-02'])
    await people.create({ start_date, manager_id: ids.get('person') });
  await people.change(ids.get('person')!, { start_date: '2024-06-01', job_title: 'Engineer' });
  await followLog(api.services, api.database.pool);
  const imported = await checkedImport(api, own.client, ['none', 'neither']);
  const changing = await checkedChanges(api, own.client, (await people.create()).work_email);
  for (const walked of operationsOf(api.check.document)) {
    if (walked.method !== 'GET') continue;
    // The window of the payroll changes is the year in which the people start.
    const path = exampleRequest(walked, (kind) => ids.get(kind)!).path.replace(
      /from=.*&to=.*/,
      'from=2024-01-01&to=2024-12-31',
    );
    const wide = {
      listWhoIsOut: '?from=2020-01-01&to=2060-12-31&include_pending=true',
      listAuditReport: `?person_id=${ids.get('person')!}`,
      listActivity: `?person_id=${ids.get('person')!}`,
    }[walked.operation.operationId];
    const asked =
      wide === undefined
        ? path.replace(
            /\/imports\/[^/]+\/(problems|changes)/,
            (_, what) => `/imports/${what === 'changes' ? changing : imported}/${what}`,
          )
        : walked.template + wide;
    reads.set(walked.template, { path: asked, answer: await own.client.get(asked) });
  }
  [starter, unapproved] = [await clientOn('starter', true), await clientOn('standard', false)];
});

async function clientOn(plan: 'starter' | 'standard', approveWrites: boolean): Promise<ApiClient> {
  const profile = {
    name: 'Plan',
    subdomain: `t-${randomUUID()}`,
    country_code: 'GB',
    plan,
    time_zone: 'UTC',
    approveWrites,
  };
  return api.client(
    (await newKey(api.services, await createOrganisation(api.services, testContext(''), profile))).apiKey,
  );
}

/** Rows of a list, page after page of one. */
async function pageByPage(
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<readonly Shown[]> {
  const rows: Shown[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const [bare, given] = path.split('?');
    const answer: ApiAnswer<readonly Shown[]> = await own.client.get(bare!, {
      ...Object.fromEntries(new URLSearchParams(given)),
      ...query,
      limit: 1,
      ...(cursor === '' ? {} : { cursor }),
    });
    rows.push(...dataOf(200, answer));
    expect(answer.json.data.length).toBeLessThanOrEqual(1);
    cursor = answer.json.pagination.next_cursor === '' ? undefined : answer.json.pagination.next_cursor;
  }
  return rows;
}

/** Every field of an answer, with its name. */
function fieldsIn(value: unknown, name = ''): readonly (readonly [name: string, value: unknown])[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsIn(item, name));
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, inner]) => fieldsIn(inner, key));
}

/**
 * The scopes and routes of the metadata are named like fields; the report names events as they are stored.
 */
const WITHOUT_FIELDS: ReadonlySet<string> = new Set(['/metadata', '/audit/report']);
const allFields = (): readonly (readonly [string, unknown])[] =>
  [...reads].filter(([path]) => !WITHOUT_FIELDS.has(path)).flatMap(([, { answer }]) => fieldsIn(answer.json.data));

describe('What the service does', () => {
  it('All request and response bodies are JSON', async () => {
    for (const { answer } of reads.values())
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const form = { body: 'work_email=a@example.com', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expectError(await own.client.send('POST', '/people', form), 415, 'invalid_request');
  });

  it('organisation-scoped reads are available on every plan', async () => {
    for (const client of [starter, unapproved])
      for (const path of ['/organisation', '/people', '/time-off', ...UNPAGED.filter((one) => !one.includes('{'))])
        expect((await client.get(path)).status).toBe(200);
  });

  it('Webhook management is available on every plan', async () => {
    for (const client of [starter, unapproved]) {
      const webhooks = new WebhookActions({ client });
      const { id } = await webhooks.create();
      await webhooks.test(id);
      expect((await webhooks.change(id, { status: 'disabled' })).status).toBe('disabled');
      expect((await client.send('DELETE', `/webhooks/${id}`)).status).toBe(204);
    }
  });

  it('Other programmatic writes need the Standard plan plus explicit approval by the service operator', async () => {
    for (const [client, field] of [
      [starter, 'plan'],
      [unapproved, 'approval'],
    ] as const) {
      expectError(await client.post('/people', { work_email: newEmail() }), 403, 'permission_denied', field);
      expect(dataOf(200, await client.get('/people'))).toEqual([]);
    }
    expect((await own.client.post('/people', { work_email: newEmail() })).status).toBe(201);
  });

  it('The organisation is always resolved from the bearer key. It is never accepted from request input', async () => {
    const other = await api.organisation();
    expect(dataOf(200, await other.client.get<Shown>('/organisation'))['id']).toBe(other.row.id);
    for (const name of ['organisation_id', 'organisation', 'tenant']) {
      expectError(await own.client.get('/people', { [name]: other.row.id }), 400, 'invalid_request', name);
      expectError(
        await own.client.post('/people', { work_email: newEmail(), [name]: other.row.id }),
        400,
        'invalid_request',
        name,
      );
    }
    const headers = { 'organisation-id': other.row.id, 'x-organisation-id': other.row.id };
    expect(dataOf(200, await own.client.get<Shown>('/organisation', {}, { headers }))['id']).toBe(own.row.id);
  });

  it('Responses use deny-by-default projections: compensation, bank details, tax or government identifiers, demographics, bytes and notes are never in default responses', () => {
    const flags = new Set(['compensation_changed', 'banking_changed']);
    const private_ =
      /salary|compensation|bank|iban|tax|national|insurance|passport|gender|ethnic|religio|birth|address|phone|personal|notes?$|bytes|base64|content$/;
    const shown = [...reads].filter(
      ([path]) => !['/metadata', '/people/{personId}/personal', '/organisation/locations'].includes(path),
    );
    for (const [path, { answer }] of shown) {
      const names = fieldsIn(answer.json.data)
        .filter(([name, value]) => private_.test(name) && !flags.has(name) && typeof value !== 'boolean')
        .map(([name]) => name);
      expect([path, names]).toEqual([path, []]);
    }
  });

  it('Person ids are random tenant-specific: the same individual has a different person id in each organisation', async () => {
    const other = await api.organisation();
    const body = { work_email: newEmail(), first_name: 'Ada' };
    const idempotencyKey = randomUUID();
    const [here, there] = [
      await own.client.post<Shown>('/people', body, { idempotencyKey }),
      await other.client.post<Shown>('/people', body, { idempotencyKey }),
    ];
    for (const answer of [here, there]) expect(personId.accepts(dataOf(201, answer)['id'])).toBe(true);
    expect(here.json.data['id']).not.toBe(there.json.data['id']);
  });

  it('Other resource ids are opaque prefixed strings', () => {
    const ids = allFields().filter(
      // A signal of presence, such as that of a tax id, is no id.
      ([name, value]) =>
        /^id$|_id$/.test(name) &&
        value !== null &&
        typeof value !== 'boolean' &&
        !['key_id', 'staff_id', 'external_id', 'request_id'].includes(name),
    );
    expect(ids.length).toBeGreaterThan(100);
    // Operators are actors under their login names.
    expect(
      ids.filter(
        ([, value]) => value !== 'tester' && !personId.accepts(value) && !id('[a-z]+(_[a-z]+)?_').accepts(value),
      ),
    ).toEqual([]);
  });
});

describe('Conventions', () => {
  const singles = (): readonly string[] => [...reads.keys()].filter((path) => ![...PAGED, ...UNPAGED].includes(path));

  it('Single resource: `{ data: <object> }`', () => {
    for (const path of singles()) {
      const { json } = reads.get(path)!.answer;
      expect([path, Object.keys(json), Array.isArray(json.data)]).toEqual([path, ['data'], false]);
    }
  });

  it('Paginated list: `{ data: [<object>], pagination: { next_cursor } }`; `next_cursor` is absent or empty on the last page', async () => {
    for (const path of PAGED) {
      const read = reads.get(path)!;
      expect([path, Object.keys(read.answer.json), Array.isArray(read.answer.json.data)]).toEqual([
        path,
        ['data', 'pagination'],
        true,
      ]);
      expect(read.answer.json.pagination.next_cursor ?? '').toBe('');
      const [bare, given] = read.path.split('?');
      const first = await own.client.get<readonly Shown[]>(bare!, {
        ...Object.fromEntries(new URLSearchParams(given)),
        limit: 1,
      });
      expect([path, first.json.data.length, Object.keys(first.json.pagination)]).toEqual([path, 1, ['next_cursor']]);
    }
  });

  it.each(UNPAGED)(
    'Non-paginated list: `{ data: [<object>] }` with no `pagination` object; treat as one page: %s',
    async (path) => {
      const { json } = reads.get(path)!.answer;
      expect([Object.keys(json), Array.isArray(json.data)]).toEqual([['data'], true]);
      for (const name of ['limit', 'cursor'])
        expectError(await own.client.get(path, { [name]: 1 }), 400, 'invalid_request', name);
    },
  );

  it('Single-resource reads: never paginated', async () => {
    for (const path of singles())
      expectError(await own.client.get(reads.get(path)!.path, { limit: 1 }), 400, 'invalid_request', 'limit');
  });

  it.each(PAGED)('Cursor: opaque string; replay exactly as returned via query parameter `cursor`: %s', async (path) => {
    const { path: own_, answer } = reads.get(path)!;
    const whole = dataOf(200, await own.client.get<readonly Shown[]>(own_));
    expect(whole.length).toBeGreaterThanOrEqual((answer.json.data as readonly Shown[]).length);
    // Every read of a picture has another link.
    const lasting = (rows: readonly Shown[]): readonly object[] =>
      rows.map((row) => ({ ...row, download_url: null, expires_at: null }));
    expect(lasting(await pageByPage(own_))).toEqual(lasting(whole));
    const [bare, given] = own_.split('?');
    const query = { ...Object.fromEntries(new URLSearchParams(given)), limit: 1 };
    const cursor = (await own.client.get(bare!, query)).json.pagination.next_cursor!;
    for (const built of [`${cursor}A`, cursor.slice(1), Buffer.from('{"offset":1}').toString('base64url')]) {
      expectError(await own.client.get(bare!, { ...query, cursor: built }), 400, 'invalid_request', 'cursor');
    }
  });

  it('Timestamps: ISO 8601 date-time strings', () => {
    const times = allFields().filter(([name, value]) => /_at$/.test(name) && value !== null);
    expect(times.length).toBeGreaterThan(50);
    expect(times.filter(([, value]) => !dateTime.accepts(value))).toEqual([]);
  });

  it('Dates: `YYYY-MM-DD`', () => {
    const days = allFields().filter(
      ([name, value]) => /(^|_)date$|_on$|^effective_(from|to)$|^as_of$/.test(name) && typeof value === 'string',
    );
    expect(days.length).toBeGreaterThan(20);
    expect(days.filter(([, value]) => !date.accepts(value))).toEqual([]);
  });

  it.each(FOLLOWED)(
    'Incremental sync: query parameter `updated_since` (ISO 8601 date-time) on people, time-off and document lists: %s',
    async (path) => {
      const all = await pageByPage(path, { updated_since: '1970-01-01T00:00:00Z' });
      expect(all.map((row) => row['id']).sort()).toEqual((await pageByPage(path)).map((row) => row['id']).sort());
      const last = all.at(-1)!;
      const since = String(last['updated_at']);
      const changed = await pageByPage(path, { updated_since: since });
      expect(changed).toContainEqual(last);
      expect(changed.every(({ updated_at: at }) => String(at) >= since)).toBe(true);
      expect(await pageByPage(path, { updated_since: '2999-01-01T00:00:00Z' })).toEqual([]);
      expectError(
        await own.client.get(path, { updated_since: '2026-01-01T00:00:00' }),
        400,
        'invalid_request',
        'updated_since',
      );
    },
  );

  it.each(SORTED)(
    'Sort: `sort=updated_at_desc` returns most recently updated first; default order when omitted is unchanged: %s',
    async (path) => {
      const [before, sorted, after] = [
        await pageByPage(path),
        await pageByPage(path, { sort: 'updated_at_desc' }),
        await pageByPage(path),
      ];
      const times = sorted.map(({ updated_at: at }) => String(at));
      expect(times).toEqual([...times].sort().reverse());
      expect(new Set(sorted.map((row) => row['id']))).toEqual(new Set(before.map((row) => row['id'])));
      expect(after).toEqual(before);
      expectError(await own.client.get(path, { sort: 'updated_at' }), 400, 'invalid_request', 'sort');
    },
  );
});
