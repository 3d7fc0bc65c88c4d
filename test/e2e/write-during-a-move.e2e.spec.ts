import { employmentAggregate } from '#people/employment/employment.js';
import { changeUser, inviteUser } from '../support/access.js';
import { clientOf, signedIn } from '../support/api/browser-session.js';
import { type ApiAnswer, type ApiClient, dataOf, expectError } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';
import { Gate } from '../support/gate.js';
import { untilAwaited } from '../support/units.js';

/*
 * A manager writes about a report while another write takes the report from them: a decision that would be
 * recorded after the move is refused, and a move waits for a decision that came first.
 */

const gate = new Gate();
const api = TestApi.forSpec({ wrapStore: (store) => gate.wrap(store) });
const own = api.organisationForSpec();
const today = new Date().toISOString().slice(0, 10);
let timeOff: TimeOffActions;
let manager: Pick<ApiClient, 'send'>;
let category_id: string;
let vera: string;
let between: string;
let report: string;

beforeAll(async () => {
  timeOff = new TimeOffActions(api, own);
  category_id = await timeOff.category();
  vera = await timeOff.person();
  const email = 'vera@users.example';
  const { id } = await inviteUser(api.services, testContext(own.row.id), { email, role: 'manager' });
  await changeUser(api.services, testContext(own.row.id), id, { type: 'link', personId: vera });
  manager = clientOf((await signedIn(api, own.row.id, 'manager', { email })).browser, api.client(null));
});

beforeEach(async () => {
  between = await timeOff.person({ manager_id: vera });
  report = await timeOff.person({ manager_id: between });
});

const requested = (): object => ({
  ...{ person_id: report, category_id },
  ...{ start_date: `${Number(today.slice(0, 4)) + 1}-03-02`, end_date: `${Number(today.slice(0, 4)) + 1}-03-08` },
});
const move = (personId: string): Promise<unknown> =>
  timeOff.people.change(personId, { start_date: today, manager_id: null });
const employmentOf = (personId: string) => (stream: string) =>
  stream === employmentAggregate.streamOf(own.row.id, personId);

/** Sends a write of the manager while the move of a person has its locks, and lets the move go on. */
async function duringMove(personId: string, write: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const stopped = gate.stop(employmentOf(personId));
  const moved = move(personId);
  await Promise.race([stopped.reached, moved]);
  const answer = write();
  await Promise.race([untilAwaited(api.database.pool), answer]);
  stopped.open();
  await moved;
  return answer;
}

it.each(['approve', 'reject', 'decisions'])('%s is refused after a move of the person', async (path) => {
  const { id } = await timeOff.create(requested());
  const body = path === 'decisions' ? { body: { decision: 'approved' } } : {};
  expectError(await duringMove(report, () => manager.send('POST', `/time-off/${id}/${path}`, body)), 404, 'not_found');
  expect((await timeOff.read(id)).status_code).toBe('pending');
});

it('a request is refused after a move of a manager in between', async () => {
  const answer = await duringMove(between, () => manager.send('POST', '/time-off', { body: requested() }));
  expectError(answer, 404, 'not_found', 'person_id');
  expect(await timeOff.list({ person_id: report })).toEqual([]);
});

it('a move waits for a decision that came first', async () => {
  const { id } = await timeOff.create(requested());
  const stopped = gate.stop((stream) => stream.endsWith(`.${report}`) && !employmentOf(report)(stream));
  const approved = manager.send('POST', `/time-off/${id}/approve`);
  await Promise.race([stopped.reached, approved]);
  const moved = move(between);
  const isWaiting = await Promise.race([untilAwaited(api.database.pool).then(() => true), moved.then(() => false)]);
  stopped.open();
  dataOf(200, await approved);
  await moved;
  expect(isWaiting).toBe(true);
});
