import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '#event-store/event-store.js';
import {
  decideEmployment,
  employmentAggregate,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
  initialEmployment,
} from '#people/employment/employment.js';
import { eventually } from '../contract/event-store.support.js';
import { expectError } from '../support/api/expect-error.js';
import { dataOf } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { appendAlone } from '../support/append-alone.js';
import { testContext } from '../support/command-services.js';
import { startTestWorker } from '../support/worker.js';

let api: TestApi;
let timeOff: TimeOffActions;
let category: string;

beforeAll(async () => {
  api = await TestApi.start();
  timeOff = new TimeOffActions(api, await api.organisation());
  category = await timeOff.category();
});
afterAll(() => api.stop());

const streamOf = (personId: string): Promise<readonly RecordedEvent[]> =>
  api.services.store.readStream(`time-off-${timeOff.organisation.row.id}.${personId}`);

/** The first half of an end alone, as a process leaves it that dies right after the append. */
async function endAndDie(personId: string, endDate: string): Promise<void> {
  const { store, mint, executor, projector } = api.services;
  const context = testContext(timeOff.organisation.row.id);
  const factId = mint.prefixed('employmentFact', context.organisationId, ...context.seed, personId);
  const events = await appendAlone<EmploymentState, EmploymentEvent>(store, context, {
    stream: employmentAggregate.streamOf(context.organisationId, personId),
    initial: initialEmployment,
    evolve: evolveEmployment,
    decide: (state) => decideEmployment({ type: 'end', personId, factId, endDate }, state),
  });
  await projector.project(executor, [events]);
}

describe('POST /people/{personId}/end', () => {
  it('cancels later time off and cuts what straddles the final day, before it answers', async () => {
    const person_id = await timeOff.person();
    const straddling = await timeOff.create({
      person_id,
      category_id: category,
      start_date: '2026-06-08',
      end_date: '2026-06-19',
    });
    await timeOff.do(straddling.id, 'approve');
    const later = await timeOff.create({
      person_id,
      category_id: category,
      start_date: '2026-07-06',
      end_date: '2026-07-10',
    });
    const earlier = await timeOff.create({
      person_id,
      category_id: category,
      start_date: '2026-03-02',
      end_date: '2026-03-06',
    });
    const [idempotencyKey, ifMatch] = [randomUUID(), await timeOff.people.personTag(person_id)];
    const end = () =>
      timeOff.organisation.client.post<Person>(
        `/people/${person_id}/end`,
        { end_date: '2026-06-10' },
        { ifMatch, idempotencyKey },
      );
    const ended = await end();
    expect(dataOf(200, ended)).toMatchObject({ status: 'ended', end_date: '2026-06-10' });
    const cut = await timeOff.read(straddling.id);
    expect(cut).toMatchObject({
      start_date: '2026-06-08',
      end_date: '2026-06-10',
      total_days: 3,
      total_minutes: 1_350,
      status_code: 'approved',
    });
    expect(cut.updated_at > straddling.updated_at).toBe(true);
    expect(await timeOff.read(later.id)).toMatchObject({ status_code: 'cancelled', status: 'Cancelled' });
    expect(await timeOff.read(earlier.id)).toEqual(earlier);
    expect((await end()).text).toBe(ended.text);
    expect((await streamOf(person_id)).slice(-2).map(({ type, metadata }) => [type, metadata.actor.id])).toEqual([
      ['TimeOffCut', timeOff.organisation.keyId],
      ['TimeOffCancelled', timeOff.organisation.keyId],
    ]);
  });

  it('gives nothing back with a rehire, whose days can be asked for anew', async () => {
    const person_id = await timeOff.person();
    const record = await timeOff.create({
      person_id,
      category_id: category,
      start_date: '2026-07-06',
      end_date: '2026-07-10',
    });
    await timeOff.people.end(person_id, '2026-06-10');
    await timeOff.people.reactivate(person_id, { start_date: '2026-07-01' });
    expect(await timeOff.read(record.id)).toMatchObject({ status_code: 'cancelled' });
    const days = { person_id, category_id: category, start_date: '2026-07-06', end_date: '2026-07-10' };
    expect((await timeOff.post(days)).status).toBe(201);
    expectError(
      await timeOff.post({ ...days, start_date: '2026-06-30', end_date: '2026-07-02' }),
      409,
      'conflict',
      'start_date',
    );
  });
});

describe('the worker', () => {
  it('ends the time off of somebody whose end was recorded right before a crash', async () => {
    const person_id = await timeOff.person();
    const straddling = await timeOff.create({
      person_id,
      category_id: category,
      start_date: '2026-06-08',
      end_date: '2026-06-12',
    });
    const later = await timeOff.create({
      person_id,
      category_id: category,
      start_date: '2026-07-06',
      end_date: '2026-07-10',
    });
    await endAndDie(person_id, '2026-06-09');
    expect(await timeOff.read(later.id)).toEqual(later);
    const errors: object[] = [];
    const worker = await startTestWorker(api.database, { logger: { error: (fields) => errors.push(fields) } });
    try {
      await eventually(async () => (await timeOff.read(later.id)).status_code === 'cancelled');
    } finally {
      await worker.stop();
    }
    expect(await timeOff.read(straddling.id)).toMatchObject({
      end_date: '2026-06-09',
      status_code: 'pending',
      total_days: 2,
    });
    expect((await streamOf(person_id)).at(-1)).toMatchObject({
      data: { because: 'employment_ended' },
      metadata: { actor: { type: 'system', id: 'time-off-ending' } },
    });
    expect(errors).toEqual([]);
  });
});
