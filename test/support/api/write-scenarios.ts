import { randomInt, randomUUID } from 'node:crypto';
import type { Request } from './derived-requests.js';
import { tagOf } from './http-client.js';
import { newEmail } from './people.js';
import { AUGUST, PATTERN, type ScenarioSetting, type WriteScenario } from './scenario-setting.js';
import { newEndpoint } from './webhooks.js';

type Scenarios = Readonly<Record<string, (at: ScenarioSetting) => Promise<WriteScenario>>>;

/**
 * Returns the scenario of a write to one of two resources. `write` returns the request, or another one about
 * the resource; `moveOn` changes the resource after the write.
 */
async function between<Thing>(
  make: () => Promise<Thing>,
  write: (to: Thing, isOther: boolean) => Request,
  moveOn?: (of: Thing) => Promise<unknown>,
): Promise<WriteScenario> {
  const [one, two] = [await make(), await make()];
  const scenario = { request: write(one, false), other: write(one, true), elsewhere: write(two, false) };
  return moveOn === undefined ? scenario : { ...scenario, moveOn: () => moveOn(one) };
}

/** Returns the scenario of a change of a resource, which is then changed once more. */
const changing =
  (path: string, make: (at: ScenarioSetting) => Promise<string>, bodies: readonly [object, object, object]) =>
  (at: ScenarioSetting): Promise<WriteScenario> =>
    between(
      () => make(at),
      (id, isOther) => ({ method: 'PATCH', path: `${path}/${id}`, body: bodies[isOther ? 1 : 0] }),
      (id) => at.send('PATCH', `${path}/${id}`, bodies[2]),
    );

/** Returns the scenario of a step of a resource, after which another step is taken; `before` comes first. */
const stepping =
  (
    path: string,
    make: (at: ScenarioSetting) => Promise<string>,
    [step, next]: readonly [string, string],
    before?: string,
  ) =>
  (at: ScenarioSetting): Promise<WriteScenario> =>
    between(
      async () => {
        const id = await make(at);
        if (before !== undefined) await at.send('POST', `${path}/${id}/${before}`);
        return id;
      },
      (id, isOther) => ({ method: 'POST', path: `${path}/${id}/${isOther ? next : step}` }),
      (id) => at.send('POST', `${path}/${id}/${next}`),
    );

/** Returns the scenario of a creation. */
function creating(path: string, body: object, other: object, moveOn?: () => Promise<unknown>): Promise<WriteScenario> {
  const post = (of: object): Request => ({ method: 'POST', path, body: of });
  const scenario = { request: post(body), other: post(other) };
  return Promise.resolve(moveOn === undefined ? scenario : { ...scenario, moveOn });
}

/** Writes of people and of their time off. */
const PEOPLE_SCENARIOS: Scenarios = {
  'POST /write-proposals/{writeProposalId}/cancel': (at) =>
    between(
      () => at.proposal(at.organisation.apiKey),
      (id, isOther) => ({ method: 'POST', path: `/write-proposals/${id}/${isOther ? 'reject' : 'cancel'}` }),
    ),
  'POST /people': (at) => {
    const body = { work_email: newEmail(), first_name: 'Ada' };
    return creating('/people', body, { work_email: newEmail() }, async () => {
      const { data } = (
        await at.client.get<readonly { id: string; work_email: string }[]>('/people', {
          sort: 'updated_at_desc',
          limit: 200,
        })
      ).json;
      const { id } = data.find(({ work_email }) => work_email === body.work_email)!;
      await at.people.identity(id, { work_email: newEmail() });
      await at.people.create({ work_email: body.work_email });
    });
  },
  'PATCH /people/{personId}': (at) =>
    between(
      () => at.employed(),
      ({ id, person: ifMatch }, isOther) => ({
        method: 'PATCH',
        path: `/people/${id}`,
        body: { first_name: isOther ? 'Emmy' : 'Ada' },
        ifMatch,
      }),
      ({ id }) => at.people.identity(id, { first_name: 'Grace', work_email: newEmail() }),
    ),
  'POST /people/{personId}/end': (at) =>
    between(
      () => at.employed(),
      ({ id, person: ifMatch }, isOther) => ({
        method: 'POST',
        path: `/people/${id}/end`,
        body: { end_date: isOther ? '2026-05-30' : '2026-05-31' },
        ifMatch,
      }),
      ({ id }) => at.people.reactivate(id, { start_date: '2026-06-10' }),
    ),
  'POST /people/{personId}/reactivate': (at) =>
    between(
      async () => {
        const { id } = await at.employed();
        await at.people.end(id, '2026-05-31');
        return { id, ifMatch: await at.people.personTag(id) };
      },
      ({ id, ifMatch }, isOther) => ({
        method: 'POST',
        path: `/people/${id}/reactivate`,
        body: { start_date: isOther ? '2026-06-11' : '2026-06-10' },
        ifMatch,
      }),
      ({ id }) => at.people.end(id, '2026-06-12'),
    ),
  'PATCH /people/{personId}/employment': (at) =>
    between(
      () => at.employed(),
      ({ id, employment: ifMatch }, isOther) => ({
        method: 'PATCH',
        path: `/people/${id}/employment`,
        body: { start_date: '2026-01-01', job_title: isOther ? 'Writer' : 'Engineer' },
        ifMatch,
      }),
      ({ id }) => at.people.change(id, { start_date: '2026-02-01', job_title: 'Analyst' }),
    ),
  'POST /people/{personId}/employment-history': (at) =>
    between(
      () => at.employed(),
      ({ id }, isOther) => ({
        method: 'POST',
        path: `/people/${id}/employment-history`,
        body: { start_date: '2025-01-01', job_title: isOther ? 'Writer' : 'Engineer', correction_reason: 'Wrong' },
      }),
      ({ id }) => at.people.correct(id, { start_date: '2025-03-01', job_title: 'Analyst' }),
    ),
  'PATCH /people/{personId}/custom-fields': async (at) => {
    const { id: field_id } = await at.fields.define(`field_${randomUUID().slice(0, 8)}`);
    return between(
      async () => {
        const { id } = await at.employed();
        return { id, ifMatch: tagOf(await at.fields.read(id)) };
      },
      ({ id, ifMatch }, isOther) => ({
        method: 'PATCH',
        path: `/people/${id}/custom-fields`,
        body: { values: [{ field_id, value: isOther ? 'c' : 'a' }] },
        ifMatch,
      }),
      ({ id }) => at.fields.write(id, [{ field_id, value: 'b' }]),
    );
  },
  'POST /people/{personId}/time-off-balance/adjustments': async (at) => {
    const category_id = await at.timeOff.category();
    const adjust = (id: string, amount_minutes: number): Request => ({
      method: 'POST',
      path: `/people/${id}/time-off-balance/adjustments`,
      body: { category_id, amount_minutes, effective_date: '2026-01-01', reason_code: 'grant' },
    });
    return between(
      () => at.employed(),
      ({ id }, isOther) => adjust(id, isOther ? 900 : 450),
      ({ id }) => at.send('POST', adjust(id, 1).path, adjust(id, 1).body),
    );
  },
  'POST /time-off': async (at) => {
    const category_id = await at.timeOff.category();
    const body = (person_id: string, dates: object = AUGUST): object => ({ person_id, category_id, ...dates });
    return between(
      () => at.employed(),
      ({ id }, isOther) => ({
        method: 'POST',
        path: '/time-off',
        body: body(id, isOther ? { start_date: '2026-09-07', end_date: '2026-09-08' } : AUGUST),
      }),
      async ({ id }) => {
        const [made] = await at.timeOff.list({ person_id: id });
        await at.timeOff.do(made!.id, 'cancel');
        await at.timeOff.create(body(id));
      },
    );
  },
  'PATCH /time-off/{timeOffId}': (at) =>
    between(
      () => at.record(),
      (id, isOther) =>
        isOther
          ? { method: 'POST', path: `/time-off/${id}/approve` }
          : { method: 'PATCH', path: `/time-off/${id}`, body: { end_date: '2026-08-05' } },
      (id) => at.timeOff.do(id, 'cancel'),
    ),
  'POST /time-off/{timeOffId}/approve': stepping('/time-off', (at) => at.record(), ['approve', 'cancel']),
  ...Object.fromEntries(
    [
      ['reject', 'cancel'],
      ['cancel', 'approve'],
    ].map(([step, next]) => [
      `POST /time-off/{timeOffId}/${step}`,
      (at: ScenarioSetting) =>
        between(
          () => at.record(),
          (id, isOther) => ({ method: 'POST', path: `/time-off/${id}/${isOther ? next : step}` }),
        ),
    ]),
  ),
};

/** Writes to the set-up of an organisation: units, patterns, categories, settings, webhooks. */
const SET_UP_SCENARIOS: Scenarios = {
  'POST /api-keys': () =>
    creating('/api-keys', { name: 'A', scopes: ['people:read'] }, { name: 'B', scopes: ['people:read'] }),
  'POST /api-keys/{keyId}/revoke': async (at) => {
    const revoke = (id: string): Request => ({ method: 'POST', path: `/api-keys/${id}/revoke` });
    return { request: revoke(await at.makers.key_()), elsewhere: revoke(await at.makers.key_()) };
  },
  'POST /users': async () => {
    const body = { email: newEmail(), role: 'hr' };
    // The id of a user derives from the address, so that another address is another user.
    const elsewhere = { method: 'POST', path: '/users', body: { ...body, email: newEmail() } };
    return { ...(await creating('/users', body, { ...body, role: 'viewer' })), elsewhere };
  },
  'PATCH /users/{userId}': changing('/users', (at) => at.user(), [
    { role: 'hr' },
    { role: 'integrator' },
    { role: 'auditor' },
  ]),
  'POST /users/{userId}/deactivate': stepping('/users', (at) => at.user(), ['deactivate', 'reactivate']),
  'POST /users/{userId}/reactivate': stepping('/users', (at) => at.user(), ['reactivate', 'deactivate'], 'deactivate'),
  'POST /users/{userId}/link': (at) =>
    between(
      async () => ({ user: await at.user(), people: [(await at.employed()).id, (await at.employed()).id] }),
      ({ user, people }, isOther) => ({
        method: 'POST',
        path: `/users/${user}/link`,
        body: { person_id: people[isOther ? 1 : 0] },
      }),
      ({ user }) => at.send('POST', `/users/${user}/unlink`),
    ),
  'POST /users/{userId}/sign-in-link': stepping('/users', (at) => at.user(), ['sign-in-link', 'deactivate']),
  'POST /org-units': () => creating('/org-units', { name: randomUUID() }, { name: randomUUID() }),
  'PATCH /org-units/{orgUnitId}': changing('/org-units', (at) => at.unit(), [
    { code: 'A' },
    { code: 'C' },
    { code: 'B' },
  ]),
  'POST /org-units/{orgUnitId}/archive': stepping('/org-units', (at) => at.unit(), ['archive', 'reactivate']),
  'POST /org-units/{orgUnitId}/reactivate': stepping(
    '/org-units',
    (at) => at.unit(),
    ['reactivate', 'archive'],
    'archive',
  ),
  'POST /working-patterns': () =>
    creating('/working-patterns', { ...PATTERN, label: randomUUID() }, { ...PATTERN, label: randomUUID() }),
  'PATCH /working-patterns/{workingPatternId}': changing('/working-patterns', (at) => at.pattern(), [
    { label: 'A' },
    { label: 'C' },
    { label: 'B' },
  ]),
  'POST /time-off/categories': (at) => {
    const [path, label] = ['/time-off/categories', randomUUID()];
    return creating(path, { label }, { label: randomUUID() }, async () => {
      const all = await at.people.all<{ id: string; label: string }>(path, { limit: 200 });
      await at.send('POST', `${path}/${all.find((one) => one.label === label)!.id}/archive`);
      await at.send('POST', path, { label });
    });
  },
  'PATCH /time-off/categories/{categoryId}': changing('/time-off/categories', (at) => at.category(), [
    { colour: '#aabbcc' },
    { colour: '#ddeeff' },
    { colour: '#000000' },
  ]),
  'PATCH /time-off/settings': (at) => {
    const [path, method] = ['/time-off/settings', 'PATCH'];
    const change = (carry_over_max_minutes: number): Request => ({ method, path, body: { carry_over_max_minutes } });
    return Promise.resolve({
      request: change(60),
      moveOn: () => at.send(method, path, change(120).body),
      other: change(180),
    });
  },
  'POST /public-holidays': (at) => {
    const [path, date] = ['/public-holidays', `${randomInt(2028, 2099)}-0${randomInt(1, 10)}-1${randomInt(0, 10)}`];
    const add = (name: string): object => ({ change: 'add', date, name });
    return creating(path, add('Closed'), add('Open day'), () => at.send('POST', path, { change: 'restore', date }));
  },
  'POST /webhooks': (at) => {
    const name = randomUUID();
    return creating('/webhooks', newEndpoint({ name }), newEndpoint(), async () => {
      const all = await at.people.all<{ id: string; name: string }>('/webhooks', { limit: 200 });
      await at.send('DELETE', `/webhooks/${all.find((one) => one.name === name)!.id}`);
    });
  },
  'PATCH /webhooks/{webhookId}': (at) =>
    between(
      () => at.webhooks.create(),
      ({ id }, isOther) => ({
        method: 'PATCH',
        path: `/webhooks/${id}`,
        body: isOther ? { name: 'Other' } : { url: 'https://moved.example.com/hooks' },
      }),
      async ({ id }) => {
        await at.webhooks.change(id, { url: 'https://elsewhere.example.com/' });
        await at.send('DELETE', `/webhooks/${id}`);
      },
    ),
  'DELETE /webhooks/{webhookId}': (at) =>
    between(
      () => at.webhooks.create(),
      ({ id }, isOther) =>
        isOther
          ? { method: 'POST', path: `/webhooks/${id}/rotate-secret` }
          : { method: 'DELETE', path: `/webhooks/${id}` },
    ),
  'POST /webhooks/{webhookId}/rotate-secret': (at) =>
    between(
      () => at.webhooks.create(),
      ({ id }, isOther) =>
        isOther
          ? { method: 'PATCH', path: `/webhooks/${id}`, body: { name: 'Other' } }
          : { method: 'POST', path: `/webhooks/${id}/rotate-secret` },
      ({ id }) => at.send('POST', `/webhooks/${id}/rotate-secret`),
    ),
  // Its answer shows what is mapped now, for every kind of file.
  'PATCH /import-columns': () => {
    const mapping = (header: string): Request => ({
      method: 'PATCH',
      path: '/import-columns',
      body: { kind: 'people', mapping: [{ header, column: 'job_title' }] },
    });
    return Promise.resolve({ request: mapping('Titel'), other: mapping('Stelle') });
  },
};

/** The scenarios of writes that need more than a body of their class, by their operation. */
export const WRITE_SCENARIOS: Scenarios = { ...PEOPLE_SCENARIOS, ...SET_UP_SCENARIOS };

/** Writes that record no event. */
export const WRITES_WITHOUT_EVENTS: readonly string[] = [
  'DELETE /users/{userId}/sessions',
  'POST /imports',
  'POST /imports/{importId}/run',
  'POST /imports/{importId}/cancel',
  'POST /audit/verification',
  'POST /webhooks/{webhookId}/test',
  'POST /webhooks/{webhookId}/resend',
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
];
