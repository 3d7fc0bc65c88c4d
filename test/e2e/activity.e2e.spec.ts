import { randomUUID } from 'node:crypto';
import { CatchUp } from '#projections/catch-up.js';
import { erasePerson } from '../support/people/erase-person.js';
import { eventually } from '../contract/event-store.support.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { allReadable } from '../support/postgres.js';
import type { Schemas } from '../support/api/shapes.js';

type Activity = Schemas['ActivityResponse'];

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;
const end = new AbortController();
let following: Promise<void>;
const errors: unknown[] = [];

beforeAll(async () => {
  api = await TestApi.start();
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
  const { executor, store, projector } = api.services;
  following = new CatchUp({
    pool: executor as TestApi['database']['pool'],
    eventStore: store,
    projector,
    onError: (error) => errors.push(error),
  }).run(end.signal);
});
afterAll(async () => {
  end.abort();
  await following;
  await api.stop();
  expect(errors).toEqual([]);
});

/** All that happened, newest first, once the log shows everything that was recorded. */
async function activity(
  query: Readonly<Record<string, string | number>> = {},
  owner = organisation,
): Promise<readonly Activity[]> {
  const { executor, store } = api.services;
  await allReadable(api.database.pool);
  const recorded = (await store.readAll(null, 100_000)).length;
  await eventually(async () => {
    const { rows } = await executor.query<{ count: number }>('select count(*)::int as count from activity');
    return rows[0]!.count >= recorded;
  });
  return new PeopleActions(owner).all<Activity>('/activity', query);
}

/** A change of a field that refers to nothing. */
const named = (change: { readonly field: string; readonly before: string | null; readonly after: string | null }) => ({
  ...change,
  before_name: null,
  after_name: null,
});

describe('GET /activity', () => {
  it('says who recorded what, with the values before and after, newest first', async () => {
    const person = await people.create({
      first_name: 'Ada',
      last_name: 'Lovelace',
      start_date: '2024-01-01',
      job_title: 'Engineer',
    });
    await people.change(person.id, { start_date: '2025-06-01', job_title: 'Lead' });
    const [, wrong] = await people.facts(person.id);
    await people.correct(person.id, {
      start_date: '2025-05-01',
      job_title: 'Lead',
      corrects: wrong!.fact_id,
      correction_reason: 'May.',
    });
    await people.end(person.id, '2026-06-30');
    const found = await activity({ person_id: person.id });
    expect(found.map(({ type }) => type)).toEqual([
      'EmploymentEnded',
      'EmploymentCorrected',
      'EmploymentChanged',
      expect.stringMatching(/PersonCreated|EmploymentStarted/),
      expect.stringMatching(/PersonCreated|EmploymentStarted/),
    ]);
    const [ended, corrected, changed] = found;
    expect(ended).toMatchObject({
      effective_date: '2026-06-30',
      changes: [named({ field: 'employed', before: 'true', after: 'false' })],
    });
    expect(corrected).toMatchObject({
      resource: { type: 'employment', id: person.id },
      person: { id: person.id, display_name: 'Ada Lovelace' },
      actor: { type: 'api_key', id: organisation.keyId, name: expect.any(String) as unknown },
      request_id: expect.stringMatching(/^req_/) as unknown,
      effective_date: '2025-05-01',
      reason: 'May.',
      supersedes: wrong!.fact_id,
      is_hidden: false,
      changes: [named({ field: 'job_title', before: 'Engineer', after: 'Lead' })],
    });
    expect(changed!.changes).toEqual([named({ field: 'job_title', before: 'Engineer', after: 'Lead' })]);
    expect(found.every(({ recorded_at }, index) => index === 0 || recorded_at <= found[index - 1]!.recorded_at)).toBe(
      true,
    );
    const created = found.find(({ type }) => type === 'PersonCreated')!;
    expect(created.changes).toContainEqual(named({ field: 'last_name', before: null, after: 'Lovelace' }));
    await people.identity(person.id, { last_name: 'King' });
    const [renamed] = await activity({ person_id: person.id });
    expect(renamed!.changes).toContainEqual(named({ field: 'last_name', before: 'Lovelace', after: 'King' }));
  });

  it('finds by actor, kind of actor, kind of resource, type and time', async () => {
    const other = await api.key(organisation.row);
    const person = dataOf(
      201,
      await api.client(other.apiKey).post<{ id: string }>('/people', { work_email: `${randomUUID()}@example.com` }),
    );
    const all = await activity();
    for (const [query, expected] of [
      [{ actor_id: other.keyId }, all.filter(({ actor }) => actor.id === other.keyId)],
      [{ actor_type: 'operator' }, all.filter(({ actor }) => actor.type === 'operator')],
      [{ resource_type: 'person' }, all.filter(({ resource }) => resource.type === 'person')],
      [{ resource_type: 'working_pattern' }, all.filter(({ resource }) => resource.type === 'working_pattern')],
      [
        { type: 'PersonCreated', person_id: person.id },
        all.filter((one) => one.type === 'PersonCreated' && one.person?.id === person.id),
      ],
      [{ from: all[3]!.recorded_at }, all.filter(({ recorded_at }) => recorded_at >= all[3]!.recorded_at)],
      [{ to: all[3]!.recorded_at, limit: 2 }, all.filter(({ recorded_at }) => recorded_at < all[3]!.recorded_at)],
      [{ type: 'Nothing' }, []],
    ] as const) {
      const found = await activity(query);
      expect(found).toEqual(expected);
      if (query !== undefined && !('type' in query && query.type === 'Nothing'))
        expect(found.length).toBeGreaterThan(0);
    }
    for (const [query, field] of [
      ['from=yesterday', 'from'],
      ['resource_type=Planet', 'resource_type'],
      ['type=employment', 'type'],
    ] as const) {
      expectError(await organisation.client.send('GET', `/activity?${query}`), 400, 'invalid_request', field);
    }
  });

  it('names what terms refer to', async () => {
    const boss = await people.create({ first_name: 'Margaret', last_name: 'Hamilton', start_date: '2020-01-01' });
    const { department_id } = organisation.references;
    const person = await people.create({ start_date: '2024-01-01', department_id });
    await people.change(person.id, { start_date: '2025-01-01', manager_id: boss.id, department_id: null });
    const [changed] = await activity({ person_id: person.id, type: 'EmploymentChanged' });
    const { name } = dataOf(200, await organisation.client.get<{ name: string }>(`/org-units/${department_id}`));
    const of = (field: string) => changed!.changes.find((one) => one.field === field);
    expect(of('manager_id')).toMatchObject({
      before: null,
      before_name: null,
      after: boss.id,
      after_name: 'Margaret Hamilton',
    });
    expect(of('department_id')).toMatchObject({
      before: department_id,
      before_name: name,
      after: null,
      after_name: null,
    });
  });

  it('names nobody and shows no value without the scopes that read them', async () => {
    const person = await people.create({ first_name: 'Grace', job_title: 'Admiral', start_date: '2024-01-01' });
    await activity();
    const { apiKey } = await api.key(organisation.row, { scopes: ['audit:read'] });
    const answer = await api.client(apiKey).get<readonly Activity[]>('/activity', { person_id: person.id });
    const found = dataOf(200, answer);
    expect(found).toHaveLength(2);
    for (const one of found)
      expect(one).toMatchObject({ is_hidden: true, changes: [], effective_date: null, person: { display_name: null } });
    expect(answer.text).not.toMatch(/Grace|Admiral/);
    const { apiKey: reader } = await api.key(organisation.row, { scopes: ['people:read', 'people:personal:read'] });
    expectError(await api.client(reader).get('/activity'), 403, 'permission_denied');
  });

  it('has no personal value of somebody who was erased, and their erasure', async () => {
    const person = await people.create({ first_name: 'Rosalind' });
    expect(JSON.stringify(await activity({ person_id: person.id }))).toMatch(/Rosalind/);
    await erasePerson(api.services, testContext(organisation.row.id), { person_id: person.id, reason: null });
    const found = await activity({ person_id: person.id });
    expect(JSON.stringify(found)).not.toMatch(/osalind/);
    expect(found.map(({ type }) => type)).toContain('PersonErased');
  });

  it('never shows secrets', async () => {
    const webhook = { name: 'Payroll', url: 'https://example.com/hook', subscribed_events: ['person.created'] };
    const { signing_secret: secret } = dataOf(
      201,
      await organisation.client.post<{ signing_secret: string }>('/webhooks', webhook),
    );
    const found = await activity({ resource_type: 'webhook' });
    expect(found[0]!.changes).toContainEqual(named({ field: 'name', before: null, after: 'Payroll' }));
    expect(JSON.stringify(await activity())).not.toContain(secret);
    expect(JSON.stringify(await activity({ resource_type: 'api_key' }))).not.toMatch(/secret_hash/);
  });
});
