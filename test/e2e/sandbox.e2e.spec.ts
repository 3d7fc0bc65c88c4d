import { randomUUID } from 'node:crypto';
import { describeSandbox } from '#cli/sample-data/describe-sandbox.js';
import { refreshSandbox } from '#cli/sample-data/refresh-sandbox.js';
import type { EventStore } from '#event-store/event-store.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { PROJECTIONS } from '#composition/registry.js';
import { purgeFormerSandboxes, SandboxBusyError } from '#access/sandbox/purge-sandboxes.js';
import { findSandbox } from '#access/sandbox/sandbox.js';
import { eventually } from '../contract/event-store.support.js';
import { newEmail } from '../support/api/people.js';
import type { Person, Webhook } from '../support/api/shapes.js';
import { type ApiClient, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { newEndpoint } from '../support/api/webhooks.js';
import { testSeeding } from '../support/command-bus.js';
import { testContext } from '../support/command-services.js';
import { allReadable } from '../support/postgres.js';

/** As docs/reference/sandbox.md has them: integrators' tests name these. */
const ADA = { staff_id: 'SBX-0001', work_email: 'ada.sandbox@example.com' };

let address: string;
let one: TestOrganisation;
let other: TestOrganisation;

const api = TestApi.forSpec();

beforeAll(async () => {
  address = await api.startAnother('sandbox');
  [one, other] = [await api.organisation(), await api.organisation()];
  for (const { row } of [one, other])
    await refreshSandbox(await testSeeding(api.services, api.database.pool), testContext(row.id));
});

async function clientOf({ row }: TestOrganisation): Promise<ApiClient> {
  return api.client((await api.key(row, { environment: 'sandbox' })).apiKey, address);
}

async function peopleOf(client: ApiClient): Promise<readonly Person[]> {
  return dataOf(200, await client.get<readonly Person[]>('/people', { limit: 200 }));
}

/** Refreshes, and waits until the process that answers has heard of it. */
async function refresh(organisation: TestOrganisation, client: ApiClient): Promise<void> {
  const marker = dataOf(201, await client.post<Person>('/people', { work_email: newEmail() })).id;
  await refreshSandbox(await testSeeding(api.services, api.database.pool), testContext(organisation.row.id));
  await eventually(async () => (await client.get(`/people/${marker}`)).status === 404);
}

const idsOf = (people: readonly Person[]): readonly string[] => people.map(({ id }) => id);

describe('a sandbox', () => {
  it('is the tenant of its organisation alone: nothing live is in it, and nothing of it is live', async () => {
    const live = dataOf(201, await one.client.post<Person>('/people', { work_email: newEmail() }));
    const client = await clientOf(one);
    const people = await peopleOf(client);
    expect(people).toHaveLength(26);
    expectError(await client.get(`/people/${live.id}`), 404, 'not_found');
    for (const { id } of people) expectError(await one.client.get(`/people/${id}`), 404, 'not_found');
    expect(await peopleOf(one.client)).toEqual([live]);
    expectError(await api.client(one.apiKey, address).get('/people'), 401, 'authentication_required');
    expectError(await api.client(client.apiKey).get('/people'), 401, 'authentication_required');
    const departments = dataOf(200, await client.get<readonly { id: string }[]>('/org-units'));
    expectError(await one.client.get(`/org-units/${departments[0]!.id}`), 404, 'not_found');
    expectError(await client.get(`/org-units/${one.references.department_id}`), 404, 'not_found');
  });

  it('has the same ids in every organisation, and nothing that tests wrote in another one', async () => {
    const [mine, theirs] = [await clientOf(one), await clientOf(other)];
    expect(idsOf(await peopleOf(mine))).toEqual(idsOf(await peopleOf(theirs)));
    const contexts = [await mine.get<object>('/me'), await theirs.get<object>('/me')].map(
      (answer) => dataOf(200, answer) as { organisation: object; environment: object },
    );
    expect(contexts[0]!.organisation).toEqual(contexts[1]!.organisation);
    expect(contexts[0]!.environment).toEqual({ type: 'sandbox', sandbox: true });
    const written = dataOf(201, await mine.post<Person>('/people', { work_email: newEmail() }));
    expectError(await theirs.get(`/people/${written.id}`), 404, 'not_found');
    expectError(await theirs.patch(`/people/${written.id}`, { first_name: 'X' }, { ifMatch: '"x"' }), 404, 'not_found');
    const ada = (await peopleOf(mine)).find(({ staff_id }) => staff_id === ADA.staff_id)!;
    dataOf(
      200,
      await mine.patch(
        `/people/${ada.id}`,
        { first_name: 'Changed' },
        { ifMatch: tagOf(await mine.get(`/people/${ada.id}`)) },
      ),
    );
    expect(dataOf(200, await theirs.get<Person>(`/people/${ada.id}`)).first_name).toBe('Ada');
  });

  it('holds what integrators have to handle', async () => {
    const client = await clientOf(one);
    const people = new Map((await peopleOf(client)).map((person) => [person.staff_id, person]));
    expect(people.get('SBX-0001')).toMatchObject({ ...ADA, manager: null, status: 'active' });
    expect(people.get('SBX-0005')).toMatchObject({ status: 'ended', end_date: '2024-06-28' });
    expect(people.get('SBX-0007')).toMatchObject({ status: 'active', start_date: '2024-02-05' });
    expect(people.get('SBX-0012')).toMatchObject({ contracted_weekly_minutes: 1_350, fte: 0.6 });
    expect(people.get('SBX-0014')).toMatchObject({
      first_name: null,
      display_name: 'nobody.sandbox@example.com',
      start_date: null,
      department: null,
    });
    expect(people.get('SBX-0017')!.manager!.id).toBe(people.get('SBX-0005')!.id);
    expect(people.get('SBX-0004')!.start_date! > new Date().toISOString().slice(0, 10)).toBe(true);
    const timeOff = dataOf(200, await client.get<readonly { status_code: string }[]>('/time-off', { limit: 200 }));
    expect(new Set(timeOff.map(({ status_code }) => status_code))).toEqual(
      new Set(['pending', 'approved', 'rejected', 'cancelled']),
    );
    const documents = dataOf(200, await client.get<readonly object[]>('/documents'));
    const mappings = dataOf(200, await client.get<readonly object[]>('/provider-mappings'));
    expect([documents.length > 4, mappings.length > 10]).toEqual([true, true]);
    expect((await client.get(`/people/${people.get('SBX-0001')!.id}/avatar`)).status).toBe(200);
    const history = dataOf(
      200,
      await client.get<readonly { corrects: string | null }[]>(
        `/people/${people.get('SBX-0010')!.id}/employment-history`,
      ),
    );
    expect(history.some(({ corrects }) => corrects !== null)).toBe(true);
  });
});

describe('a refresh', () => {
  it('brings back ids, versions and everything else, and takes away what tests wrote', async () => {
    const client = await clientOf(one);
    await refresh(one, client);
    const before = await peopleOf(client);
    const firstTag = tagOf(await client.get(`/people/${before[0]!.id}`));
    const cursor = (await client.get('/people', { limit: 2 })).json.pagination.next_cursor!;
    const idempotencyKey = randomUUID();
    const body = { work_email: newEmail() };
    const created = dataOf(201, await client.post<Person>('/people', body, { idempotencyKey }));
    const webhook = dataOf(201, await client.post<Webhook>('/webhooks', newEndpoint()));
    dataOf(200, await client.patch(`/people/${before[0]!.id}`, { first_name: 'Changed' }, { ifMatch: firstTag }));
    dataOf(
      200,
      await client.post(
        `/people/${before[1]!.id}/end`,
        { end_date: '2026-01-31' },
        { ifMatch: tagOf(await client.get(`/people/${before[1]!.id}`)) },
      ),
    );

    await refresh(one, client);
    const after = await peopleOf(client);
    const timeless = ({
      created_at: _,
      updated_at: __,
      ...person
    }: Person & { created_at: string; updated_at: string }): object => person;
    expect(after.map((person) => timeless(person as never))).toEqual(before.map((person) => timeless(person as never)));
    expect(tagOf(await client.get(`/people/${before[0]!.id}`))).toBe(firstTag);
    expectError(await client.get(`/people/${created.id}`), 404, 'not_found');
    expectError(await client.get(`/webhooks/${webhook.id}`), 404, 'not_found');
    expectError(await client.get('/people', { limit: 2, cursor }), 400, 'invalid_request', 'cursor');
    // The same test, run again: no answer of its last run comes back, and what it makes has the same id.
    const again = await client.post<Person>('/people', body, { idempotencyKey });
    expect([again.status, again.headers['idempotent-replayed'], again.json.data.id]).toEqual([
      201,
      undefined,
      created.id,
    ]);
  });

  it('leaves nothing of the old tenant in any table but its name, and the worker takes that', async () => {
    const { pool } = api.database;
    const client = await clientOf(one);
    const { tenantId } = (await findSandbox(pool, one.row.id))!;
    dataOf(201, await client.post<Person>('/people', { work_email: newEmail() }));
    expect(await rowsOf(tenantId)).toEqual(
      expect.arrayContaining(['people', 'employment_beliefs', 'person_keys', 'idempotency_receipts', 'time_off']),
    );
    await refresh(one, client);
    expect(await rowsOf(tenantId)).toEqual([]);
    await purgeFormerSandboxes(pool);
    expect((await pool.query('select from organisations where id = $1', [tenantId])).rowCount).toBe(0);
    expect(await peopleOf(client)).toHaveLength(26);
  });

  it('is not undone by a rebuild, which finds nothing to mend', async () => {
    const { pool } = api.database;
    const client = await clientOf(one);
    const { tenantId } = (await findSandbox(pool, one.row.id))!;
    await refresh(one, client);
    await allReadable(pool);
    for (const projection of PROJECTIONS) {
      const { differences } = await rebuild(
        { pool, eventStore: api.services.store, clock: { now: () => new Date() } },
        projection,
      );
      expect([projection.name, differences]).toEqual([projection.name, 0]);
    }
    expect(await rowsOf(tenantId)).toEqual([]);
    expect(await peopleOf(client)).toHaveLength(26);
  });

  it('that breaks off leaves the old tenant in use, and the next one throws its leftovers away', async () => {
    const { pool } = api.database;
    const client = await clientOf(one);
    const written = dataOf(201, await client.post<Person>('/people', { work_email: newEmail() }));
    const broken = { ...api.services, store: breakingAfter(api.services.store, 60) };
    await expect(refreshSandbox(await testSeeding(broken, pool), testContext(one.row.id))).rejects.toThrow(
      'the power is gone',
    );
    expect((await client.get(`/people/${written.id}`)).status).toBe(200);
    const { rows } = await pool.query<{ id: string }>(
      `select jsonb_array_elements_text(prepared_tenants) as id from sandboxes where organisation_id = $1`,
      [one.row.id],
    );
    expect(await rowsOf(rows[0]!.id)).toContain('people');
    await refresh(one, client);
    expect(await rowsOf(rows[0]!.id)).toEqual([]);
    expect(idsOf(await peopleOf(client))).toEqual(idsOf((await peopleOf(await clientOf(other))).slice(0, 26)));
  });

  it('of several processes at once is done one after the other, and leaves one tenant', async () => {
    const { pool } = api.database;
    const refreshWhenFree = async (): Promise<void> => {
      for (;;) {
        try {
          await refreshSandbox(await testSeeding(api.services, pool), testContext(one.row.id));
          return;
        } catch (error) {
          // On a busy machine the refreshes before take longer than one waits.
          if (!(error instanceof SandboxBusyError)) throw error;
        }
      }
    };
    await Promise.all([1, 2, 3].map(refreshWhenFree));
    const { rows } = await pool.query<{ id: string }>(
      `select o.id from organisations o where starts_with(o.id, 'org_zSandbox.') and exists (select from people p where p.organisation_id = o.id)`,
    );
    expect(rows).toHaveLength(2);
    const described = await describeSandbox(pool, api.services.mint, (await findSandbox(pool, one.row.id))!);
    expect(described.people.map(({ id }) => id)).not.toContain(null);
  });
});

describe('a test key whose organisation has no sandbox of its own', () => {
  it('acts for the shared one, as before, until the organisation gets its own', async () => {
    const third = await api.organisation();
    const client = await clientOf(third);
    expect(await peopleOf(client)).toEqual([]);
    await refresh(third, client);
    expect(await peopleOf(client)).toHaveLength(26);
  });
});

/** Tables that hold anything of a tenant. */
async function rowsOf(tenantId: string): Promise<readonly string[]> {
  const { pool } = api.database;
  const { rows } = await pool.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.column_name = 'organisation_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE' order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows)
    if (((await pool.query(`select from ${name} where organisation_id = $1 limit 1`, [tenantId])).rowCount ?? 0) > 0)
      found.push(name);
  return found;
}

/** A store that refuses to work after so many appends, as if the process had been killed there. */
function breakingAfter(store: EventStore, appends: number): EventStore {
  let left = appends;
  const append: EventStore['append'] = (...given) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('the power is gone')) : store.append(...given);
  };
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === 'append' ? append : Reflect.get(target, name);
      return typeof value === 'function' && name !== 'append' ? value.bind(target) : value;
    },
  });
}
