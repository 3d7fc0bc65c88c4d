import { apiRoutes } from '#api/listener.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import type { Route } from '#http/operations/route-table.js';
import { addDays } from '#kernel/dates.js';
import type { RoleByRelation } from '#kernel/roles.js';
import { changeUser, inviteUser } from '../support/access.js';
import { type Browser, clientOf, signedIn } from '../support/api/browser-session.js';
import { exampleRequest, walkedOperation } from '../support/api/example-requests.js';
import { type ApiAnswer, type ApiClient, dataOf, type SendOptions } from '../support/api/http-client.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';
import { connect, readAsTool, textOf } from '../support/mcp.js';

/*
 * The matrix of the roles by relation: every route, for people in every relation to the user, on the day
 * before some of them get another manager, on the day itself and afterwards.
 */

type Client = Pick<ApiClient, 'send'>;
type Unit = { readonly name: string; readonly head: { readonly id: string } | null; readonly total_head_count: number };

/** The people of the organisation, by the first word of the relation that they have to the manager Vera. */
const NAMES = [
  ...['boss', 'vera', 'peer', 'direct', 'indirect', 'stranger', 'leaver', 'coming'],
  /** Report to Vera until the day before the move, to the peer from it on; the second through the first. */
  ...['leaving', 'belowLeaving'],
  /** The other way around. */
  ...['joining', 'belowJoining'],
] as const;
type Name = string;

const today = new Date().toISOString().slice(0, 10);
const MOVE = addDays(today, 10);
const PHASES = { before: addDays(MOVE, -1), on: MOVE, after: addDays(MOVE, 10) } as const;
type Phase = keyof typeof PHASES;

let now = new Date();
const api = TestApi.forSpec({ clock: { now: () => now } });
const people = new Map<Name, string>();
/** Records of time off by person: over for long, and pending in a year. */
const past = new Map<Name, string>();
const pending = new Map<Name, string>();
let own: TestOrganisation;
let foreign: TestOrganisation;
let timeOff: TimeOffActions;
let category: string;

/** Whom Vera sees as a manager, besides herself. */
const reportsOf = (phase: Phase): readonly Name[] => [
  ...['direct', 'indirect'],
  ...(phase === 'before' ? ['leaving', 'belowLeaving'] : ['joining', 'belowJoining']),
];
/** Whom she sees on every day. */
const ALWAYS = ['direct', 'indirect'];

beforeAll(async () => {
  [own, foreign] = [await api.organisation(), await api.organisation()];
  timeOff = new TimeOffActions(api, own);
  category = await timeOff.category();
  const unit = async (name: string, more: object = {}): Promise<string> =>
    dataOf(201, await own.client.post<{ id: string }>('/org-units', { name, ...more })).id;
  const company = await unit('Company');
  const [many, apart] = [await unit('Many', { parent_id: company }), await unit('Apart', { parent_id: company })];
  const hire = async (name: Name, manager: Name | null, start = '2020-01-01'): Promise<void> => {
    const manager_id = manager === null ? {} : { manager_id: people.get(manager)! };
    const department_id = name === 'vera' ? {} : { department_id: name === 'stranger' ? apart : many };
    people.set(name, await timeOff.person({ first_name: name, start_date: start, ...manager_id, ...department_id }));
  };
  await hire('boss', null);
  await hire('vera', 'boss');
  await hire('peer', 'boss');
  await hire('direct', 'vera');
  await hire('indirect', 'direct');
  await hire('stranger', null);
  await hire('leaver', 'vera');
  await timeOff.people.end(people.get('leaver')!, addDays(today, -1));
  await hire('coming', 'vera', addDays(MOVE, 100));
  await hire('leaving', 'vera');
  await hire('belowLeaving', 'leaving');
  await hire('joining', 'peer');
  await hire('belowJoining', 'joining');
  for (const [id, name] of [
    [many, 'vera'],
    [apart, 'stranger'],
  ] as const)
    dataOf(200, await own.client.send('PATCH', `/org-units/${id}`, { body: { head_id: people.get(name) } }));
  for (const [name, manager] of [
    ['leaving', 'peer'],
    ['joining', 'vera'],
  ] as const)
    await timeOff.people.change(people.get(name)!, { start_date: MOVE, manager_id: people.get(manager)! });
  people.set('foreign', (await new TimeOffActions(api, foreign).people.create({ start_date: '2020-01-01' })).id);
  for (const name of NAMES) {
    if (name === 'coming') continue;
    const person_id = people.get(name)!;
    const days = { person_id, category_id: category };
    const over = await timeOff.create({ ...days, start_date: '2021-03-01', end_date: '2021-03-05' });
    past.set(name, (await timeOff.do(over.id, 'approve')).id);
    if (name === 'leaver') continue;
    const asked = addDays(today, 365);
    pending.set(name, (await timeOff.create({ ...days, start_date: asked, end_date: addDays(asked, 6) })).id);
  }
});

/** A user who is one of the people, or nobody, signed in at noon of a day, which becomes the present. */
async function browserOf(role: RoleByRelation, name: Name | null, day: string): Promise<Browser> {
  now = new Date(`${day}T12:00:00Z`);
  const options = { email: `${name ?? role}@users.example`, now };
  const user = await inviteUser(api.services, testContext(own.row.id), { email: options.email, role });
  if (name !== null)
    await changeUser(api.services, testContext(own.row.id), user.id, { type: 'link', personId: people.get(name)! });
  return (await signedIn(api, own.row.id, role, options)).browser;
}

async function sessionOf(role: RoleByRelation, name: Name | null, day: string): Promise<Client> {
  return clientOf(await browserOf(role, name, day), api.client(null));
}

const get = (client: Client, path: string): Promise<ApiAnswer> => client.send('GET', path);

/** All ids of a list, in pages of one and in one page, which must agree. */
async function idsOf(client: Client, path: string, idIn: (row: never) => string): Promise<readonly string[]> {
  const found: string[] = [];
  const at = (more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`;
  for (let cursor: string | undefined; ;) {
    const answer = await get(client, at(`limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`));
    found.push(...dataOf(200, answer as ApiAnswer<readonly never[]>).map(idIn));
    cursor = answer.json.pagination.next_cursor;
    if (cursor === undefined || cursor === '') break;
  }
  const whole = await get(client, at('limit=100'));
  expect(dataOf(200, whole as ApiAnswer<readonly never[]>).map(idIn)).toEqual(found);
  expect(whole.json.pagination.next_cursor ?? '').toBe('');
  return found;
}

const named = (ids: readonly string[], of: ReadonlyMap<Name, string> = people): readonly Name[] =>
  [...new Set(ids)].map((id) => [...of].find(([, one]) => one === id)?.[0] ?? id).toSorted();

/** Everything of an answer that may not differ between a person out of sight and one whom nobody has. */
function told({ status, headers, text }: ApiAnswer): unknown {
  const { date: _, ratelimit: __, 'content-length': ___, 'service-request-id': requestId, ...rest } = headers;
  return { status, headers: rest, text: text.replace(String(requestId), '…') };
}

const ROUTES = apiRoutes(RESOURCE_MODULES);

/** Routes about one person, by operation: the path, and whom of those in sight it is about. */
const OF_PERSON: Readonly<Record<string, { path: (id: string) => string; of: 'sight' | 'oneself' }>> = {
  getPerson: { path: (id) => `/people/${id}`, of: 'sight' },
  getEmployment: { path: (id) => `/people/${id}/employment`, of: 'sight' },
  listReports: { path: (id) => `/people/${id}/reports?depth=all`, of: 'sight' },
  getTimeOffBalance: { path: (id) => `/people/${id}/time-off-balance`, of: 'sight' },
  listTimeOff: { path: (id) => `/time-off?person_id=${id}`, of: 'sight' },
  getTimeline: { path: (id) => `/people/${id}/timeline`, of: 'oneself' },
  listEmploymentFacts: { path: (id) => `/people/${id}/employment-history`, of: 'oneself' },
  listTimelineBeliefs: { path: (id) => `/people/${id}/timeline/beliefs`, of: 'oneself' },
  getPersonalProfile: { path: (id) => `/people/${id}/personal`, of: 'oneself' },
};
/** Lists that filter by a manager: an id out of sight filters as an unknown one does. */
const OF_MANAGER: Readonly<Record<string, string>> = {
  listPeople: '/people?manager_id=',
  listTimeOffBalances: '/time-off/balances?manager_id=',
  listWhoIsOut: '/time-off/who-is-out?from=2021-03-01&to=2021-03-02&manager_id=',
};
/** Routes about one record of time off, and the writes. */
const OF_RECORD = ['getTimeOff', 'createTimeOff', 'approveTimeOff', 'rejectTimeOff', 'decideTimeOff', 'cancelTimeOff'];
const ABOUT_NOBODY = ['getMe', 'getMetadata', 'getOrganisation', 'listTimeOffCategories', 'listPublicHolidays'];

it('has a row for each operation that the roles may call', () => {
  const open = ROUTES.filter(({ operation }) => operation.people !== undefined).map(
    ({ operation }) => operation.operationId,
  );
  expect(open.toSorted()).toEqual(
    [...Object.keys({ ...OF_PERSON, ...OF_MANAGER }), ...OF_RECORD, ...ABOUT_NOBODY, 'getOrgUnitTree'].toSorted(),
  );
  const about = ROUTES.filter(({ operation }) => operation.people?.of === 'none');
  expect(about.map(({ operation }) => operation.operationId).toSorted()).toEqual(ABOUT_NOBODY.toSorted());
});

/** The routes about one person that an AI client of each user reads; all run in the same way. */
const OF_AI_CLIENT = ['getPerson', 'listTimeOff', 'getTimeline'] as const;

const OF_EVERYBODY = [
  ['listPeople', '/people'],
  ['listTimeOffBalances', '/time-off/balances'],
  ['listTimeOff', '/time-off?status=pending'],
  ['getOrgUnitTree', '/org-units/tree'],
] as const;

const withoutRequestId = (text: string): unknown => {
  const { error, ...rest } = JSON.parse(text) as { readonly error?: { readonly request_id: string } };
  return { ...rest, error: error === undefined ? undefined : { ...error, request_id: '' } };
};

/** Who looks, whom they see on a day, and whom of a day on which others were in sight. */
const VIEWERS = [
  { role: 'manager', name: 'vera', sees: (phase: Phase) => ['vera', ...reportsOf(phase)], always: ['vera', ...ALWAYS] },
  { role: 'employee', name: 'direct', sees: () => ['direct'], always: ['direct'] },
  { role: 'manager', name: 'stranger', sees: () => ['stranger'], always: ['stranger'] },
  { role: 'manager', name: 'leaver', sees: () => [], always: [] },
  { role: 'manager', name: 'coming', sees: () => [], always: [] },
  { role: 'manager', name: null, sees: () => [], always: [] },
  { role: 'employee', name: null, sees: () => [], always: [] },
] as const;

describe.each(Object.entries(PHASES) as [Phase, string][])('%s the move', (phase, day) => {
  describe.each(VIEWERS)('a $role who is $name', ({ role, name, sees, always }) => {
    let browser: Browser;
    let client: Client;
    const visible: readonly Name[] = sees(phase);
    beforeAll(async () => {
      browser = await browserOf(role, name, day);
      client = clientOf(browser, api.client(null));
    });

    it('the statement of balances answers for those in sight, and 404 alike for others', async () => {
      const statement = (id: string) => browser.send('GET', `/console/people/${id}/balance-statement`);
      const unknown = await statement('000000000000');
      for (const [one, id] of people) {
        const { status, json } = await statement(id);
        expect([one, status]).toEqual([one, visible.includes(one) ? 200 : 404]);
        if (status === 404) expect(json.error).toEqual({ ...unknown.json.error, request_id: expect.any(String) });
      }
    });

    it.each(Object.entries(OF_PERSON))('%s answers for those in sight, and 404 alike for others', async (_, route) => {
      const unknown = told(await get(client, route.path('zzzzzzzzzzzz')));
      expect(unknown).toMatchObject({ status: 404 });
      for (const [other, id] of people) {
        const isSeen = visible.includes(other) && (route.of === 'sight' || other === name);
        const answer = await get(client, route.path(id));
        expect([other, answer.status]).toEqual([other, isSeen ? 200 : 404]);
        if (!isSeen) expect(told(answer)).toEqual(unknown);
      }
    });

    it.each(Object.entries(OF_MANAGER))('%s filters by managers among those in sight', async (_, path) => {
      const idIn = (row: { id?: string; person?: { id: string } }): string => row.id ?? row.person!.id;
      for (const id of [...people.values(), 'zzzzzzzzzzzz'])
        expect(visible).toEqual(expect.arrayContaining([...named(await idsOf(client, `${path}${id}`, idIn))]));
    });

    it('reads a timeline as of a day of reports, of others nothing', async () => {
      for (const [other, id] of people) {
        const isSeen = visible.includes(other);
        const at = (query: string) => get(client, `/people/${id}/timeline?${query}`);
        expect([other, (await at(`as_of=${day}`)).status]).toEqual([other, isSeen ? 200 : 404]);
        const compared = `as_of=${day}&known_at=2020-01-01T00:00:00Z&compare_known_at=${new Date().toISOString()}`;
        expect([other, (await at(compared)).status]).toEqual([other, isSeen && other === name ? 200 : 404]);
      }
    });

    it('lists those in sight, no more and no fewer, in pages of any size', async () => {
      const id = ({ id }: { id: string }): string => id;
      for (const query of ['', '?q=e', '?sort=name', '?sort=updated_at_desc', '?updated_since=1970-01-01T00:00:00Z']) {
        const expected = query === '?q=e' ? [] : visible;
        const found = named(await idsOf(client, `/people${query}`, id));
        if (query === '?q=e') expect(visible).toEqual(expect.arrayContaining([...found]));
        else expect(found).toEqual(expected.toSorted());
      }
      for (const other of NAMES) {
        const found = named(await idsOf(client, `/people?q=${other}`, id));
        expect(visible).toEqual(expect.arrayContaining([...found]));
        if (visible.includes(other)) expect(found).toContain(other);
      }
      const ofPerson = ({ person }: { person: { id: string } }): string => person.id;
      expect(named(await idsOf(client, '/time-off/balances', ofPerson))).toEqual(visible.toSorted());
    });

    it('lists those who are in sight today and were on the day that it asks about', async () => {
      const id = ({ id }: { id: string }): string => id;
      for (const [then, other] of Object.entries(PHASES) as [Phase, string][]) {
        const isSame = (then === 'before') === (phase === 'before');
        const expected = (isSame ? visible : always).toSorted();
        expect(named(await idsOf(client, `/people?as_of=${other}`, id))).toEqual(expected);
        for (const [one, personId] of people) {
          const isSeen = expected.includes(one);
          for (const path of [`timeline?as_of=${other}`, `time-off-balance?as_of=${other}`])
            expect([one, (await get(client, `/people/${personId}/${path}`)).status]).toEqual([one, isSeen ? 200 : 404]);
        }
      }
    });

    it('lets an AI client of the user read exactly what the user reads', async () => {
      const connected = await browser.send('POST', '/console/ai-client-sessions', { body: { name: phase } });
      const ai = await connect(
        api.url,
        (JSON.parse(connected.text) as { readonly data: { readonly token: string } }).data.token,
      );
      try {
        for (const [operationId, path] of [
          ...OF_EVERYBODY,
          ...[...people.values()].flatMap((id) => OF_AI_CLIENT.map((one) => [one, OF_PERSON[one]!.path(id)] as const)),
        ]) {
          const route = ROUTES.find(({ operation }) => operation.operationId === operationId)!;
          const [read, { text }] = [textOf(await readAsTool(ai, route, path)), await get(client, path)];
          expect([path, withoutRequestId(read)]).toEqual([path, withoutRequestId(text)]);
        }
      } finally {
        await ai.close();
      }
    });

    it('draws the units of those in sight, and counts and names nobody else', async () => {
      for (const [then, other] of Object.entries(PHASES) as [Phase, string][]) {
        const shown: readonly Name[] = (then === 'before') === (phase === 'before') ? visible : always;
        const head = (one: Name): Name | null => (shown.includes(one) ? one : null);
        const many = shown.filter((one) => one !== 'vera' && one !== 'stranger').length;
        const apart = shown.includes('stranger') ? 1 : 0;
        const units = [
          ['Apart', head('stranger'), apart],
          ['Company', null, many + apart],
          ['Many', head('vera'), many],
        ].filter(([, , count]) => count !== 0);
        const tree = dataOf(200, await get(client, `/org-units/tree?as_of=${other}`)) as unknown as readonly Unit[];
        expect(
          tree.map((one) => [one.name, named(one.head === null ? [] : [one.head.id])[0] ?? null, one.total_head_count]),
        ).toEqual(units);
        const counted = await browser.send('GET', `/console/head-count?as_of=${other}`);
        const without_unit = shown.includes('vera') ? 1 : 0;
        expect(counted.json.data).toEqual({ employed: shown.length, without_unit });
      }
    });

    it('reads time off of those in sight, and over time off of those who were then', async () => {
      const unknown = told(await get(client, `/time-off/to_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA`));
      const former = phase === 'before' ? visible : always;
      for (const [records, expected] of [
        [past, former],
        [pending, visible],
      ] as const) {
        for (const [other, id] of records) {
          const answer = await get(client, `/time-off/${id}`);
          expect([other, answer.status]).toEqual([other, expected.includes(other) ? 200 : 404]);
          if (answer.status === 404) expect(told(answer)).toEqual(unknown);
        }
      }
      const ofPerson = ({ person }: { person: { id: string } }): string => person.id;
      const listed = async (path: string): Promise<readonly Name[]> => named(await idsOf(client, path, ofPerson));
      expect(await listed('/time-off?status=pending&from=2000-01-01')).toEqual(visible.toSorted());
      expect(await listed('/time-off?status=approved&to=2021-12-31')).toEqual(former.toSorted());
      expect(await listed('/time-off/who-is-out?from=2021-03-01&to=2021-03-31')).toEqual(former.toSorted());
      expect(await listed('/time-off?updated_since=1970-01-01T00:00:00Z')).toEqual(visible.toSorted());
    });

    it('requests time off for those in sight, decides about reports alone, and cancels only its own', async () => {
      const start = addDays(MOVE, 20 + 7 * VIEWERS.findIndex((one) => one.role === role && one.name === name));
      const dates = { start_date: addDays(start, { before: 0, on: 60, after: 120 }[phase]) };
      // Some of six days count, whatever weekend and holidays they touch.
      const body = { category_id: category, ...dates, end_date: addDays(dates.start_date, 5) };
      const send = (path: string, options: SendOptions = {}): Promise<ApiAnswer> => client.send('POST', path, options);
      const unknown = told(await send('/time-off', { body: { ...body, person_id: 'zzzzzzzzzzzz' } }));
      expect(unknown).toMatchObject({ status: 404 });
      for (const [other, person_id] of people) {
        const answer = await send('/time-off', { body: { ...body, person_id } });
        expect([other, answer.status]).toEqual([other, visible.includes(other) ? 201 : 404]);
        if (answer.status === 404) expect(told(answer)).toEqual(unknown);
      }
      for (const [other, id] of pending) {
        const decides = role === 'manager' && other !== name && visible.includes(other);
        for (const path of ['approve', 'reject', 'decisions', 'cancel']) {
          const options = path === 'decisions' ? { body: { decision: 'approved' } } : {};
          const ifMatch = '"r999.aaaaaaaa"';
          const { status } = await send(`/time-off/${id}/${path}`, { ...options, ifMatch });
          const may = path === 'cancel' ? other === name : decides;
          expect([other, path, status]).toEqual([other, path, may ? 412 : 404]);
        }
      }
    });

    it('is refused by every other route, as for a missing scope', async () => {
      for (const route of ROUTES.filter(({ operation }) => operation.people === undefined)) {
        const answer = await ask(client, route);
        expect([route.operation.operationId, answer.status, answer.json.error?.code]).toEqual([
          route.operation.operationId,
          403,
          'permission_denied',
        ]);
      }
    });
  });
});

describe('the other doors', () => {
  it('are closed to the session of an employee and of a manager, but for what is about the session itself', async () => {
    for (const role of ['employee', 'manager'] as const) {
      now = new Date(`${PHASES.before}T12:00:00Z`);
      const { browser } = await signedIn(api, own.row.id, role, { email: `${role}@users.example`, now });
      const asked = async (method: string, path: string, body?: unknown): Promise<readonly [string, number]> => [
        path,
        (await browser.send(method, path, { body, headers: { accept: 'application/json, text/event-stream' } })).status,
      ];
      expect(await asked('GET', '/console/events')).toEqual(['/console/events', 403]);
      expect(await asked('GET', '/console/notices')).toEqual(['/console/notices', 403]);
      const names = `/console/names?ids=${people.get('stranger')!}`;
      expect(await asked('GET', names)).toEqual([names, 403]);
      expect(await asked('POST', '/console/previews', {})).toEqual(['/console/previews', 403]);
      expect(await asked('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' })).toEqual(['/mcp', 401]);
      expect(await asked('GET', '/console/session')).toEqual(['/console/session', 200]);
    }
  });
});

describe('a correction', () => {
  it('hides days on which a person did not report to the manager, as known now or as known then', async () => {
    const wrong = await timeOff.person({ manager_id: people.get('peer')!, start_date: '2020-01-01' });
    const [fact] = await timeOff.people.facts(wrong);
    const right = await timeOff.person({ manager_id: people.get('vera')!, start_date: '2020-01-01' });
    const between = (await api.database.pool.query<{ at: Date }>('select clock_timestamp() as at')).rows[0]!.at;
    await timeOff.people.correct(wrong, {
      corrects: fact!.fact_id,
      start_date: '2020-01-01',
      manager_id: people.get('vera')!,
    });
    const client = await sessionOf('manager', 'vera', PHASES.before);
    const at = async (id: string, query: string): Promise<number> =>
      (await get(client, `/people/${id}/timeline?as_of=2024-06-01${query}`)).status;
    const then = `&known_at=${between.toISOString()}`;
    expect([await at(wrong, ''), await at(wrong, then)]).toEqual([200, 404]);
    expect([await at(right, ''), await at(right, then)]).toEqual([200, 200]);
    const ids = async (query: string): Promise<readonly string[]> =>
      idsOf(client, `/people?as_of=2024-06-01${query}`, ({ id }: { id: string }): string => id);
    expect(await ids('')).toEqual(expect.arrayContaining([wrong, right]));
    expect(await ids(then)).toContain(right);
    expect(await ids(then)).not.toContain(wrong);
  });
});

/** The example of the document, with ids that nobody has. */
function ask(client: Client, { method, path }: Route): Promise<ApiAnswer> {
  const { options, ...request } = exampleRequest(walkedOperation(api.check.document, method, path));
  return client.send(request.method, request.path, options);
}
