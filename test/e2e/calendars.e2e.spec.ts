import ICAL from 'ical.js';
import { addDays } from '#kernel/dates.js';
import { isByRelation, type Role, ROLES } from '#kernel/roles.js';
import { findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import { changeUser, eraseUser } from '../support/access.js';
import { type Browser, type BrowserAnswer, signedIn } from '../support/api/browser-session.js';
import { startLogged } from '../support/api/logged-instance.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';
import { recordedEvents } from '../support/event-store.js';
import { erasePerson } from '../support/people/erase-person.js';

/** A Wednesday. */
const TODAY = '2026-06-17';
/** The Friday and the Monday after the present week. */
const [FRIDAY, MONDAY] = ['2026-06-19', '2026-06-22'];

let now = new Date(`${TODAY}T09:20:00Z`);
const api = TestApi.forSpec({ clock: { now: () => now }, requestLog: 'on' });
let own: TestOrganisation;
let timeOff: TimeOffActions;
let category: string;
let ada: string;

beforeEach(async () => {
  now = new Date(`${TODAY}T09:20:00Z`);
  own = await api.organisation();
  timeOff = new TimeOffActions(api, own);
  category = await timeOff.category({ label: 'Annual leave, paid' });
  ada = await timeOff.person({ first_name: 'Ada', last_name: 'Byron' });
});

interface Link {
  readonly id: string;
  readonly user: { readonly email: string };
  readonly subject: { readonly resource_type: string; readonly id: string | null; readonly name: string | null };
  readonly last_read_at: string | null;
}

const dataIn = <Data>({ text }: BrowserAnswer): Data => (JSON.parse(text) as { data: Data }).data;

/** A browser of a user with this role, who is one of the people where given. */
async function userOf(role: Role, personId?: string): Promise<{ readonly browser: Browser; readonly id: string }> {
  const { browser, user } = await signedIn(api, own.row.id, role, { email: `${role}@users.example`, now });
  if (personId !== undefined)
    await changeUser(api.services, testContext(own.row.id), user.id, { type: 'link', personId });
  return { browser, id: user.id };
}

const create = (browser: Browser, subject: object, language = 'en') =>
  browser.send('POST', '/console/calendars', { body: { ...subject, language } });

/** Makes a link; the result is its path. */
async function linkOf(browser: Browser, subject: object, language = 'en'): Promise<string> {
  const answer = await create(browser, subject, language);
  expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"url"')]);
  const { url } = dataIn<{ url: string }>(answer);
  expect(url).toMatch(new RegExp(`^${api.url}/calendars/[A-Za-z0-9_-]{43}\\.ics$`));
  return new URL(url).pathname;
}

const listed = async (browser: Browser): Promise<readonly Link[]> =>
  dataIn(await browser.send('GET', '/console/calendars'));

const read = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(`${api.url}${path}`, { headers });

interface ParsedEvent {
  readonly uid: string;
  readonly summary: string;
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly isWhole: boolean;
  readonly sequence: number;
}

/** The events of a calendar as another implementation of RFC 5545 reads them, and the calendar itself. */
async function parsed(path: string): Promise<{ calendar: ICAL.Component; events: readonly ParsedEvent[] }> {
  const answer = await read(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
  const calendar = new ICAL.Component(ICAL.parse(await answer.text()) as unknown[]);
  const events = calendar.getAllSubcomponents('vevent').map((component) => {
    const { uid, summary, startDate, endDate, sequence } = new ICAL.Event(component);
    return {
      uid,
      summary,
      start: startDate.toString(),
      end: endDate.toString(),
      isWhole: startDate.isDate && endDate.isDate,
      sequence,
    };
  });
  return { calendar, events };
}

const summaries = async (path: string): Promise<readonly string[]> =>
  (await parsed(path)).events.map(({ summary }) => summary);

async function approved(personId: string, from: string, to = from, parts: object = {}): Promise<string> {
  const days = { person_id: personId, category_id: category, start_date: from, end_date: to, ...parts };
  const { id, status_code } = await timeOff.create(days);
  if (status_code === 'pending') await timeOff.do(id, 'approve');
  return id;
}

/** What a program sees that has an address which never was: nothing may tell it apart. */
async function gone(path: string): Promise<void> {
  const told = async (address: string): Promise<unknown> => {
    const { status, headers, text } = await read(address).then(async (answer) => ({
      status: answer.status,
      headers: [...answer.headers.keys()].toSorted(),
      text: await answer.text(),
    }));
    return { status, headers, text: text.replace(/req_[^"]+/, '…') };
  };
  const unknown = await told(`/calendars/${'A'.repeat(43)}.ics`);
  expect(unknown).toMatchObject({ status: 404, text: expect.stringContaining('"code":"not_found"') });
  expect(await told(path)).toEqual(unknown);
}

it('shows whole days, half days and spans over a weekend with their category to the user themself', async () => {
  const full = await approved(ada, addDays(MONDAY, 1));
  const half = await approved(ada, addDays(MONDAY, 2), addDays(MONDAY, 2), { start_day_part: 'afternoon' });
  const span = await approved(ada, FRIDAY, MONDAY, { start_day_part: 'afternoon', end_day_part: 'morning' });
  const { browser } = await userOf('employee', ada);
  const { calendar, events } = await parsed(await linkOf(browser, { person_id: ada }));
  const label = 'Annual leave, paid';
  const sequence = expect.any(Number) as number;
  expect(events).toEqual([
    {
      uid: span,
      summary: `${label} (first day: afternoon, last day: morning)`,
      start: FRIDAY,
      end: addDays(MONDAY, 1),
      isWhole: true,
      sequence,
    },
    { uid: full, summary: label, start: addDays(MONDAY, 1), end: addDays(MONDAY, 2), isWhole: true, sequence },
    {
      uid: half,
      summary: `${label} (afternoon)`,
      start: addDays(MONDAY, 2),
      end: addDays(MONDAY, 3),
      isWhole: true,
      sequence,
    },
  ]);
  expect(calendar.getFirstPropertyValue('name')).toBe('Time off');
  expect(String(calendar.getFirstPropertyValue('refresh-interval'))).toBe('PT1H');
});

it('follows changes, and leaves out what is pending, rejected, cancelled or far away', async () => {
  const id = await approved(ada, MONDAY);
  const days = { person_id: ada, category_id: category };
  const other = await timeOff.create({ ...days, start_date: addDays(MONDAY, 7), end_date: addDays(MONDAY, 7) });
  await timeOff.do(other.id, 'reject');
  await approved(ada, '2026-03-16');
  await approved(ada, '2028-01-10');
  const cancelled = await approved(ada, addDays(MONDAY, 14));
  await timeOff.do(cancelled, 'cancel');
  const path = await linkOf((await userOf('employee', ada)).browser, { person_id: ada });
  const before = await parsed(path);
  expect(before.events.map(({ uid }) => uid)).toEqual([id]);
  await timeOff.patch(id, { end_date: addDays(MONDAY, 1) });
  expect((await parsed(path)).events).toEqual([]);
  await timeOff.do(id, 'approve');
  const [after] = (await parsed(path)).events;
  expect(after).toMatchObject({ uid: id, start: MONDAY, end: addDays(MONDAY, 2) });
  expect(after!.sequence).toBeGreaterThan(before.events[0]!.sequence);
  await timeOff.do(id, 'cancel');
  expect((await parsed(path)).events).toEqual([]);
});

it('shows that people of a unit and the units below it are out, by name and without a category', async () => {
  const { department_id, other_department_id } = own.references;
  const [below] = [...(await findOrCreateOrgUnits(api.services, testContext(own.row.id), ['Platform'])).values()];
  const moved = await own.client.patch(`/org-units/${below!.id}`, { parent_id: department_id });
  expect(moved.status).toBe(200);
  const person = (first_name: string, unit: string) =>
    timeOff.person({ first_name, last_name: 'Lee', department_id: unit });
  const [grace, alan, edith] = [
    await person('Grace', department_id),
    await person('Alan', below!.id),
    await person('Edith', other_department_id),
  ];
  for (const id of [grace, alan, edith]) await approved(id, MONDAY);
  const { browser } = await userOf('viewer');
  const path = await linkOf(browser, { org_unit_id: department_id }, 'de');
  const { calendar, events } = await parsed(path);
  expect(events.map(({ summary }) => summary).toSorted()).toEqual(['Alan Lee: abwesend', 'Grace Lee: abwesend']);
  expect(calendar.getFirstPropertyValue('name')).toBe('Engineering: Abwesenheiten');
  expect(await (await read(path)).text()).not.toContain('Annual');
  await timeOff.people.change(alan, { start_date: TODAY, department_id: other_department_id });
  expect(await summaries(path)).toEqual(['Grace Lee: abwesend']);
});

it('answers 304 for a calendar that a program has, and may be kept by that program alone', async () => {
  await approved(ada, MONDAY);
  const path = await linkOf((await userOf('employee', ada)).browser, { person_id: ada });
  const { headers, body } = await read(path);
  await body?.cancel();
  const etag = headers.get('etag')!;
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'private, no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
  const again = await read(path, { 'if-none-match': etag });
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  now = new Date(now.getTime() + 86_400_000);
  expect((await read(path, { 'if-none-match': etag })).status).toBe(304);
  await approved(ada, addDays(MONDAY, 1));
  expect((await read(path, { 'if-none-match': etag })).status).toBe(200);
});

describe('a link', () => {
  it('ends when its user revokes it, or an administrator, but not another user', async () => {
    const employee = await userOf('employee', ada);
    const [viewer, administrator] = [await userOf('viewer'), await userOf('administrator')];
    const one = await linkOf(employee.browser, { person_id: ada });
    now = new Date(now.getTime() + 1_000);
    const other = await linkOf(employee.browser, { person_id: ada });
    await parsed(one);
    const [newest, oldest] = await listed(employee.browser);
    expect([newest!.last_read_at, oldest!.last_read_at]).toEqual([null, `${TODAY}T09:00:00.000Z`]);
    expect(await listed(viewer.browser)).toEqual([]);
    expect(await listed(administrator.browser)).toEqual([newest, oldest]);
    expect(newest).toMatchObject({
      user: { id: employee.id, email: 'employee@users.example' },
      subject: { resource_type: 'person', id: ada, name: 'Ada Byron' },
    });
    const revoke = async ({ browser }: { browser: Browser }, { id }: Link) =>
      (await browser.send('DELETE', `/console/calendars/${id}`)).status;
    expect(await revoke(viewer, oldest!)).toBe(404);
    expect((await read(one)).status).toBe(200);
    expect([await revoke(employee, oldest!), await revoke(administrator, newest!)]).toEqual([204, 204]);
    expect(await revoke(employee, oldest!)).toBe(404);
    await gone(one);
    await gone(other);
    const events = (await recordedEvents(api.database.pool)).filter(({ stream }) => stream.endsWith(employee.id));
    expect(events.slice(-4).map(({ type, data, metadata }) => [type, data['link_id'], metadata.actor.id])).toEqual([
      ['UserCalendarLinkCreated', oldest!.id, employee.id],
      ['UserCalendarLinkCreated', newest!.id, employee.id],
      ['UserCalendarLinkRevoked', oldest!.id, employee.id],
      ['UserCalendarLinkRevoked', newest!.id, administrator.id],
    ]);
  });

  it('shows nothing more when its user loses a role, the person, or the right to sign in', async () => {
    const { department_id } = own.references;
    const { browser, id } = await userOf('viewer', ada);
    const [unit, person] = [
      await linkOf(browser, { org_unit_id: department_id }),
      await linkOf(browser, { person_id: ada }),
    ];
    const change = (to: Parameters<typeof changeUser>[3]) => changeUser(api.services, testContext(own.row.id), id, to);
    await change({ type: 'set_role', role: 'employee' });
    await gone(unit);
    expect((await read(person)).status).toBe(200);
    await change({ type: 'set_role', role: 'viewer' });
    expect((await read(unit)).status).toBe(200);
    await change({ type: 'deactivate' });
    await gone(unit);
    await change({ type: 'reactivate' });
    await gone(unit);
    await gone(person);
    const later = await signedIn(api, own.row.id, 'viewer', { email: 'viewer@users.example', now });
    const last = await linkOf(later.browser, { org_unit_id: department_id });
    await eraseUser(api.services, testContext(own.row.id), id);
    await gone(last);
  });

  it('shows a report to a manager as long as the report is one', async () => {
    const vera = await timeOff.person({ first_name: 'Vera' });
    const direct = await timeOff.person({ first_name: 'Dan', manager_id: vera });
    await approved(direct, addDays(MONDAY, 3));
    const { browser } = await userOf('manager', vera);
    expect((await create(browser, { person_id: ada })).status).toBe(404);
    expect((await create(browser, { org_unit_id: own.references.department_id })).status).toBe(403);
    const path = await linkOf(browser, { person_id: direct });
    expect(await summaries(path)).toEqual(['Dan: out']);
    await timeOff.people.change(direct, { start_date: MONDAY, manager_id: ada });
    expect((await read(path)).status).toBe(200);
    now = new Date(`${MONDAY}T09:00:00Z`);
    await gone(path);
    const back = await signedIn(api, own.row.id, 'manager', { email: 'manager@users.example', now });
    expect((await listed(back.browser)).map(({ subject }) => subject.name)).toEqual([null]);
  });

  it('to a team shows the people whom its manager sees at the moment of reading', async () => {
    const vera = await timeOff.person({ first_name: 'Vera' });
    const [dan, ida] = [
      await timeOff.person({ first_name: 'Dan', manager_id: vera }),
      await timeOff.person({ first_name: 'Ida', manager_id: ada }),
    ];
    for (const id of [vera, dan, ida, ada]) await approved(id, addDays(MONDAY, 3));
    const { browser, id } = await userOf('manager', vera);
    const path = await linkOf(browser, { team: true }, 'fr');
    const shown = async (): Promise<readonly string[]> => (await summaries(path)).toSorted();
    expect((await parsed(path)).calendar.getFirstPropertyValue('name')).toBe('Mon équipe : Absences');
    expect(await shown()).toEqual(['Dan : absence', 'Vera : absence']);
    await timeOff.people.change(dan, { start_date: TODAY, manager_id: ada });
    await timeOff.people.change(ida, { start_date: TODAY, manager_id: vera });
    expect(await shown()).toEqual(['Ida : absence', 'Vera : absence']);
    const [{ subject }] = (await listed(browser)) as readonly [Link];
    expect(subject).toEqual({ resource_type: 'team', id: null, name: null });
    for (const role of ['hr', 'employee'] as const) {
      await changeUser(api.services, testContext(own.row.id), id, { type: 'set_role', role });
      await gone(path);
    }
  });

  it('goes with a person who is erased', async () => {
    const { browser } = await userOf('hr');
    const grace = await timeOff.person({ first_name: 'Grace', department_id: own.references.department_id });
    await approved(grace, MONDAY);
    const [path, unit] = [
      await linkOf(browser, { person_id: grace }),
      await linkOf(browser, { org_unit_id: own.references.department_id }),
    ];
    expect(await summaries(unit)).toEqual(['Grace: out']);
    await erasePerson(api.services, testContext(own.row.id), { person_id: grace, reason: null });
    await gone(path);
    expect(await summaries(unit)).toEqual([]);
    expect((await listed(browser)).map(({ subject }) => subject.resource_type)).toEqual(['org_unit']);
    expect((await create(browser, { person_id: grace })).status).toBe(409);
  });

  it.each(ROLES)('is made by the role %s for people whom it sees, and for units that it reads', async (role) => {
    const { browser } = await userOf(role, ada);
    const other = await timeOff.person();
    const statuses = [];
    const { department_id: org_unit_id } = own.references;
    for (const subject of [{ person_id: ada }, { person_id: other }, { org_unit_id }, { team: true }])
      statuses.push((await create(browser, subject)).status);
    const ofTeam = role === 'manager' ? 201 : 403;
    expect(statuses).toEqual([...(isByRelation(role) ? [201, 404, 403] : [201, 201, 201]), ofTeam]);
    expect(await listed(browser)).toHaveLength(statuses.filter((status) => status === 201).length);
  });

  it('is made for one person or one unit, by a session, and at most twenty times by a user', async () => {
    const { browser } = await userOf('hr');
    const { department_id: org_unit_id } = own.references;
    expect((await create(browser, {})).status).toBe(400);
    expect((await create(browser, { person_id: ada, org_unit_id })).status).toBe(400);
    expect((await create(browser, { person_id: ada, team: true })).status).toBe(400);
    expect((await create(browser, { person_id: ada }, 'xx')).status).toBe(400);
    expect((await create(browser, { person_id: 'zzzzzzzzzzzz' })).status).toBe(404);
    expect((await create(browser, { org_unit_id: 'org_unit_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA' })).status).toBe(404);
    const foreign = await new TimeOffActions(api, await api.organisation()).person();
    expect((await create(browser, { person_id: foreign })).status).toBe(404);
    const withKey = await fetch(`${api.url}/console/calendars`, {
      headers: { authorization: `Bearer ${own.apiKey}` },
    });
    expect(withKey.status).toBe(401);
    for (let count = 0; count < 20; count += 1) await linkOf(browser, { person_id: ada });
    expect((await create(browser, { person_id: ada })).status).toBe(409);
  });

  it('is counted for the network address that reads it', async () => {
    const path = await linkOf((await userOf('employee', ada)).browser, { person_id: ada });
    const limited = await startLogged(api, { rateLimitPublic: 2 });
    try {
      const statuses: number[] = [];
      for (let count = 0; count < 3; count += 1) statuses.push((await fetch(`${limited.url}${path}`)).status);
      expect(statuses).toEqual([200, 200, 429]);
    } finally {
      await limited.stop();
    }
  });

  it('is in no log, in no event and in no row', async () => {
    const { browser } = await userOf('employee', ada);
    const path = await linkOf(browser, { person_id: ada });
    const secret = path.slice('/calendars/'.length, -'.ics'.length);
    const logged = await startLogged(api);
    try {
      expect((await fetch(`${logged.url}${path}`)).status).toBe(200);
      expect((await fetch(`${logged.url}${path}?x=%zz`)).status).toBe(200);
      expect((await fetch(`${logged.url}${path}`, { method: 'POST' })).status).toBeGreaterThan(399);
      expect((await fetch(`${logged.url}${path}/x`)).status).toBeGreaterThan(399);
    } finally {
      await logged.stop();
    }
    expect(logged.said()).toContain('"operation":"readCalendar"');
    expect(logged.said()).not.toContain(secret);
    const { rows } = await api.database.pool.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    for (const { name } of rows) {
      const { rows: found } = await api.database.pool.query(
        `select 1 from ${name} t where position($1 in t::text) > 0`,
        [secret],
      );
      expect([name, found.length]).toEqual([name, 0]);
    }
  });
});
