import { randomInt } from 'node:crypto';
import { addDays } from '#kernel/dates.js';
import { type ApiAnswer, type ApiClient, dataOf } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { Gate } from '../support/gate.js';
import { locksAwaited } from '../support/lock-waits.js';
import { testSize } from '../support/test-size.js';
import type { TimeOff } from '../support/api/shapes.js';

const ROUNDS = testSize('ENDING_RACES', { usual: 40, long: 240 });
const AT_ONCE = 8;

const FINAL_DAY = '2026-06-10';
const BEHIND = { start_date: '2026-07-06', end_date: '2026-07-10' };
const STRADDLING = { start_date: '2026-06-08', end_date: '2026-06-19' };

const gate = new Gate();
let api: TestApi;
let timeOff: TimeOffActions;
let category: string;
/** At a process that can be stopped before it decides. */
let stoppable: ApiClient;
let clients: readonly ApiClient[];

beforeAll(async () => {
  let started = 0;
  api = await TestApi.start({ wrapStore: (store) => (started++ === 0 ? gate.wrap(store) : store) });
  const organisation = await api.organisation();
  timeOff = new TimeOffActions(api, organisation);
  category = await timeOff.category();
  stoppable = organisation.client;
  clients = [stoppable, api.client(organisation.apiKey, await api.startAnother())];
});
afterAll(() => api.stop());

const calendarOf =
  (personId: string) =>
  (stream: string): boolean =>
    stream === `time-off-${timeOff.organisation.row.id}.${personId}`;
const someClient = (): ApiClient => clients[randomInt(clients.length)]!;
const request = (person_id: string, days: object, client = someClient()) =>
  client.post<TimeOff>('/time-off', { person_id, category_id: category, ...days });

async function end(personId: string, client = someClient()): Promise<ApiAnswer> {
  const ifMatch = await timeOff.people.personTag(personId);
  return client.post(`/people/${personId}/end`, { end_date: FINAL_DAY }, { ifMatch });
}

/** Every open record lies on employed days, by what the timeline says; gives them. */
async function assertSettled(personId: string): Promise<readonly TimeOff[]> {
  const { segments } = await timeOff.people.timeline(personId);
  const isEmployed = (day: string): boolean =>
    segments.some(
      ({ employed, effective_from: from, effective_to: to }) =>
        employed && (from === null || from <= day) && (to === null || day < to),
    );
  const open = (await timeOff.list({ person_id: personId })).filter(
    ({ status_code: status }) => status === 'pending' || status === 'approved',
  );
  for (const { start_date: first, end_date: last } of open) {
    for (let day = first; day <= last; day = addDays(day, 1)) expect([day, isEmployed(day)]).toEqual([day, true]);
  }
  return open;
}

describe('an end that is recorded while time off is', () => {
  /**
   * Records an end while the request waits before it is decided, and lets the request go on when the end
   * waits for it.
   */
  async function endBeside<Answer>(person: string, begin: () => Promise<Answer>): Promise<Answer> {
    const stopped = gate.stop(calendarOf(person), 'decision');
    const begun = begin();
    await stopped.reached;
    const ended = end(person);
    await locksAwaited(api.services.executor);
    stopped.open();
    expect((await ended).status).toBe(200);
    return begun;
  }

  it('requested behind it: the end waits for the request, and cancels it', async () => {
    const person = await timeOff.person();
    const record = dataOf(201, await endBeside(person, () => request(person, BEHIND, stoppable)));
    expect(record).toMatchObject({ ...BEHIND, status_code: 'pending' });
    expect(await assertSettled(person)).toEqual([]);
    expect(await timeOff.eventsOf(person)).toEqual(['TimeOffRequested', 'TimeOffCancelled']);
  });

  it('requested over it: the record is cut', async () => {
    const person = await timeOff.person();
    const { id } = dataOf(201, await endBeside(person, () => request(person, STRADDLING, stoppable)));
    const cut = { start_date: '2026-06-08', end_date: FINAL_DAY, total_days: 3, status_code: 'pending' };
    expect(await timeOff.read(id)).toMatchObject(cut);
    expect(await timeOff.eventsOf(person)).toEqual(['TimeOffRequested', 'TimeOffCut']);
  });

  it('changed to days behind it: the same', async () => {
    const person = await timeOff.person();
    const record = await timeOff.create({
      person_id: person,
      category_id: category,
      start_date: '2026-03-02',
      end_date: '2026-03-06',
    });
    dataOf(200, await endBeside(person, () => stoppable.patch<TimeOff>(`/time-off/${record.id}`, BEHIND)));
    expect(await timeOff.read(record.id)).toMatchObject({ ...BEHIND, status_code: 'cancelled' });
    expect(await assertSettled(person)).toEqual([]);
  });

  it('approved: it is cancelled, whoever comes first', async () => {
    const person = await timeOff.person();
    const record = await timeOff.create({ person_id: person, category_id: category, ...BEHIND });
    const stopped = gate.stop(calendarOf(person), 'decision');
    const approved = stoppable.send<TimeOff>('POST', `/time-off/${record.id}/approve`);
    await stopped.reached;
    expect((await end(person)).status).toBe(200);
    stopped.open();
    expect((await approved).status).toBe(409);
    expect(await timeOff.read(record.id)).toMatchObject({ status_code: 'cancelled' });
  });
});

/** What is raced with an end; gives the person. */
const RACES: readonly (() => Promise<string>)[] = [
  async () => {
    const person = await timeOff.person();
    await Promise.all([end(person), request(person, [BEHIND, STRADDLING][randomInt(2)]!)]);
    return person;
  },
  async () => {
    const person = await timeOff.person();
    const record = await timeOff.create({
      person_id: person,
      category_id: category,
      start_date: '2026-03-02',
      end_date: '2026-03-06',
    });
    await Promise.all([end(person), someClient().patch(`/time-off/${record.id}`, [BEHIND, STRADDLING][randomInt(2)]!)]);
    return person;
  },
  async () => {
    const person = await timeOff.person();
    const record = await timeOff.create({
      person_id: person,
      category_id: category,
      ...[BEHIND, STRADDLING][randomInt(2)]!,
    });
    await Promise.all([end(person), someClient().send('POST', `/time-off/${record.id}/approve`)]);
    return person;
  },
  // A rehire beside a request for its days: it is refused, or stays.
  async () => {
    const person = await timeOff.person();
    expect((await end(person)).status).toBe(200);
    const [, answer] = await Promise.all([
      timeOff.people.reactivate(person, { start_date: '2026-07-01' }),
      request(person, BEHIND),
    ]);
    const open = await assertSettled(person);
    expect(open).toHaveLength(answer.status === 201 ? 1 : 0);
    return person;
  },
  // A first day that moves beside a request before it.
  async () => {
    const person = await timeOff.person();
    const [started] = await timeOff.people.facts(person);
    const later = { start_date: '2026-07-08', corrects: started!.fact_id, correction_reason: 'They came later.' };
    await Promise.all([
      someClient().post(`/people/${person}/employment-history`, later),
      request(person, [BEHIND, STRADDLING][randomInt(2)]!),
    ]);
    return person;
  },
];

it('a race of both leaves nothing open on days without employment when both have answered', async () => {
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    const people = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => RACES[(round + index) % RACES.length]!()),
    );
    for (const person of people) await assertSettled(person);
  }
});
