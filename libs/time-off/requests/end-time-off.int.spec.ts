import { appendAlone } from '../../../test/support/append-alone.js';
import { testContext } from '../../../test/support/command-services.js';
import {
  contextOf,
  createPerson,
  newOrganisation,
  recordFact,
  type World,
  worldForSpec,
} from '../../../test/support/people/world.js';
import {
  decideEmployment,
  employmentAggregate,
  type EmploymentCommand,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
  initialEmployment,
} from '#people/employment/employment.js';
import type { EmploymentRequest } from '#people/record/people-writer.js';
import { createTimeOffCategory } from '../category/time-off-category.api.js';
import { endTimeOffOfLeavers } from './end-time-off.js';
import { requestTimeOff, stepTimeOff } from './request-time-off.js';
import { findTimeOff, type TimeOffRow } from '../records/read-time-off.js';

const world = worldForSpec();
let organisationId: string;
let personId: string;
let category: string;

beforeEach(async () => {
  organisationId = await newOrganisation(world);
  personId = await createPerson(world, organisationId, { startDate: '2026-01-01' });
  category = (await createTimeOffCategory(servicesOf(world), testContext(organisationId), { label: 'Leave' })).id;
});

function servicesOf({ eventStore: store, pool: executor, projector, mint, clock }: World) {
  return { store, executor, projector, mint, clock };
}

const request = (start_date: string, end_date: string, parts: object = {}, person = personId): Promise<TimeOffRow> =>
  requestTimeOff(servicesOf(world), testContext(organisationId), {
    person_id: person,
    category_id: category,
    start_date,
    end_date,
    ...parts,
  });
const read = async (record: TimeOffRow): Promise<TimeOffRow> =>
  (await findTimeOff(world.pool, organisationId, record.id))!;
const eventsOf = async (): Promise<readonly string[]> =>
  (await world.eventStore.readStream(`time-off-${organisationId}.${personId}`)).map(({ type }) => type);
const end = (endDate: string): Promise<void> => recordFact(world, organisationId, personId, { type: 'end', endDate });

/**
 * The employment alone, as a process leaves it that dies before the commit, with events in a database of
 * their own.
 */
async function recordAlone(
  person: string,
  request: EmploymentRequest,
  context = contextOf(organisationId, { today: '2026-03-01' }),
): Promise<void> {
  const factId = world.mint.prefixed('employmentFact', organisationId, ...context.seed, person);
  const events = await appendAlone<EmploymentState, EmploymentEvent>(world.eventStore, context, {
    stream: employmentAggregate.streamOf(organisationId, person),
    initial: initialEmployment,
    evolve: evolveEmployment,
    decide: (state) => decideEmployment({ ...request, personId: person, factId } as EmploymentCommand, state),
  });
  await world.projector.project(world.pool, [events]);
}

describe('ending a person', () => {
  it('cancels records after the final day, cuts and counts again those across it, and leaves the rest', async () => {
    const before = await request('2026-03-02', '2026-03-06');
    const straddling = await request('2026-06-08', '2026-06-19', { end_day_part: 'morning' });
    await stepTimeOff(servicesOf(world), testContext(organisationId), straddling.id, 'approve');
    const behind = await request('2026-07-06', '2026-07-10');
    const rejected = await request('2026-08-03', '2026-08-07');
    await stepTimeOff(servicesOf(world), testContext(organisationId), rejected.id, 'reject');
    await end('2026-06-10');
    expect(await read(before)).toEqual(before);
    expect(await read(straddling)).toMatchObject({
      start_date: '2026-06-08',
      end_date: '2026-06-10',
      end_day_part: 'full',
      total_days: 3,
      total_minutes: 3 * 480,
      status_code: 'approved',
    });
    expect((await read(straddling)).days.map(({ date }) => date)).toEqual(['2026-06-08', '2026-06-09', '2026-06-10']);
    expect(await read(behind)).toMatchObject({ status_code: 'cancelled', start_date: '2026-07-06' });
    expect(await read(rejected)).toMatchObject({ status_code: 'rejected' });
    expect((await eventsOf()).slice(-2)).toEqual(['TimeOffCut', 'TimeOffCancelled']);
  });

  it('cancels records without a remaining day that counts', async () => {
    const record = await request('2026-06-13', '2026-06-16');
    await end('2026-06-14');
    expect(await read(record)).toMatchObject({ status_code: 'cancelled', end_date: '2026-06-16' });
  });

  it('goes by a corrected final day too; neither a later one nor a rehire gives anything back', async () => {
    const record = await request('2026-06-08', '2026-06-19');
    await end('2026-06-17');
    await move('end', '2026-06-10');
    expect(await read(record)).toMatchObject({ end_date: '2026-06-10', total_days: 3 });
    await move('correction', '2026-06-18');
    await recordFact(world, organisationId, personId, { type: 'reactivate', startDate: '2026-07-01', terms: {} });
    expect(await read(record)).toMatchObject({ end_date: '2026-06-10' });
    expect(await request('2026-07-06', '2026-07-07')).toMatchObject({ total_days: 2 });
    expect(await endTimeOffOfLeavers(servicesOf(world))).toBe(0);
  });

  it('works with an undated start', async () => {
    personId = await createPerson(world, organisationId, { startDate: null });
    const record = await request('2026-06-08', '2026-06-12');
    await end('2026-06-09');
    expect(await read(record)).toMatchObject({ end_date: '2026-06-09', status_code: 'pending' });
  });
});

/** The id of the person's last fact of this action. */
async function factOf(action: string): Promise<string> {
  const { rows } = await world.pool.query<{ fact_id: string }>(
    'select fact_id from employment_facts where person_id = $1 and action = $2 order by revision desc limit 1',
    [personId, action],
  );
  return rows[0]!.fact_id;
}

const recordWhole = (person: string, fact: EmploymentRequest): Promise<void> =>
  recordFact(world, organisationId, person, fact);

async function move(action: string, startDate: string, record = recordWhole): Promise<void> {
  await record(personId, {
    type: 'correct',
    startDate,
    terms: {},
    correctionReason: 'wrong day',
    corrects: await factOf(action),
  });
}

describe('a first day that moves later', () => {
  it('cancels records before it, cuts and counts again those across it, and leaves the rest', async () => {
    const before = await request('2026-01-05', '2026-01-09');
    const straddling = await request('2026-02-02', '2026-02-13', { start_day_part: 'afternoon' });
    await stepTimeOff(servicesOf(world), testContext(organisationId), straddling.id, 'approve');
    const after = await request('2026-03-02', '2026-03-06');
    await move('start', '2026-02-11');
    expect(await read(before)).toMatchObject({ status_code: 'cancelled', start_date: '2026-01-05' });
    expect(await read(straddling)).toMatchObject({
      start_date: '2026-02-11',
      end_date: '2026-02-13',
      start_day_part: 'full',
      total_days: 3,
      status_code: 'approved',
    });
    expect(await read(after)).toEqual(after);
    const events = (await world.eventStore.readStream(`time-off-${organisationId}.${personId}`)).slice(-2);
    expect(events).toMatchObject([
      { type: 'TimeOffCancelled', data: { because: 'employment_starts_later' } },
      { type: 'TimeOffCut' },
    ]);
    await move('correction', '2026-01-01');
    expect(await read(straddling)).toMatchObject({ start_date: '2026-02-11' });
    expect(await endTimeOffOfLeavers(servicesOf(world))).toBe(0);
  });

  it('does the same where it is a rehire that moves', async () => {
    await end('2026-02-27');
    await recordFact(world, organisationId, personId, { type: 'reactivate', startDate: '2026-04-01', terms: {} });
    const [before, straddling] = [await request('2026-04-06', '2026-04-10'), await request('2026-05-04', '2026-05-08')];
    await move('reactivate', '2026-05-06');
    expect(await read(before)).toMatchObject({ status_code: 'cancelled' });
    expect(await read(straddling)).toMatchObject({ start_date: '2026-05-06', end_date: '2026-05-08', total_days: 3 });
    expect((await world.eventStore.readStream(`time-off-${organisationId}.${personId}`)).at(-2)).toMatchObject({
      data: { because: 'employment_ended' },
    });
  });

  it('does the same where a first day is named after all; one that follows from the first dated change takes nothing away', async () => {
    personId = await createPerson(world, organisationId, { startDate: null });
    const [before, after] = [await request('2026-02-02', '2026-02-06'), await request('2026-04-06', '2026-04-10')];
    const straddling = await request('2026-02-26', '2026-03-03');
    await recordFact(world, organisationId, personId, {
      type: 'change',
      startDate: '2026-03-01',
      terms: { job_title: 'Engineer' },
      today: '2026-03-01',
    });
    await end('2026-04-08');
    expect([await read(before), await read(straddling)]).toEqual([before, straddling]);
    expect(await read(after)).toMatchObject({ end_date: '2026-04-08' });
    expect(await endTimeOffOfLeavers(servicesOf(world))).toBe(0);
    await move('start', '2026-03-01');
    expect(await read(before)).toMatchObject({ status_code: 'cancelled' });
    expect(await read(straddling)).toMatchObject({ start_date: '2026-03-01', end_date: '2026-03-03', total_days: 2 });
  });

  it('is completed by the worker after a crash between the two, also with an undated start', async () => {
    const dated = await request('2026-02-02', '2026-02-06');
    await move('start', '2026-02-04', recordAlone);
    personId = await createPerson(world, organisationId, { startDate: null });
    const undated = await request('2026-02-02', '2026-02-06');
    await move('start', '2026-03-01', recordAlone);
    expect([await read(dated), await read(undated)]).toEqual([dated, undated]);
    expect(await endTimeOffOfLeavers(servicesOf(world))).toBe(2);
    expect(await read(dated)).toMatchObject({ start_date: '2026-02-04', end_date: '2026-02-06' });
    expect(await read(undated)).toMatchObject({ status_code: 'cancelled' });
    expect(await endTimeOffOfLeavers(servicesOf(world))).toBe(0);
  });

  it('leaves records on days of an undated employment unchanged, before and after an end', async () => {
    personId = await createPerson(world, organisationId, { startDate: null });
    const record = await request('2026-02-02', '2026-02-06');
    await end('2026-06-30');
    expect(await read(record)).toEqual(record);
    expect(await endTimeOffOfLeavers(servicesOf(world))).toBe(0);
  });
});

describe('an end that was recorded without its effect on time off', () => {
  it('is finished by the retry of the request', async () => {
    const record = await request('2026-06-08', '2026-06-12');
    const context = contextOf(organisationId, { today: '2026-03-01' });
    const requested = { type: 'end', endDate: '2026-06-09' } as const;
    await recordAlone(personId, requested, context);
    expect(await read(record)).toEqual(record);
    expect((await world.writer.recordFact(context, personId, requested, new Map(), null)).outcome).toBe('repeated');
    expect(await read(record)).toMatchObject({ end_date: '2026-06-09' });
    await world.writer.recordFact(context, personId, requested, new Map(), null);
    expect(await eventsOf()).toEqual(['TimeOffRequested', 'TimeOffCut']);
  });

  it('is completed by the workers once, for any number of them', async () => {
    const records: TimeOffRow[] = [];
    for (let index = 0; index < 12; index += 1) {
      // Some have no start date, so their days have no beliefs.
      const leaver = await createPerson(world, organisationId, { startDate: index % 3 === 0 ? null : '2026-01-01' });
      records.push(
        await request('2026-06-08', '2026-06-12', {}, leaver),
        await request('2026-06-15', '2026-06-19', {}, leaver),
      );
      await recordAlone(leaver, { type: 'end', endDate: '2026-06-09' });
    }
    const untouched = await request('2026-06-08', '2026-06-12');
    const counts = await Promise.all(Array.from({ length: 3 }, () => endTimeOffOfLeavers(servicesOf(world))));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(await endTimeOffOfLeavers(servicesOf(world))).toBe(0);
    for (const [index, record] of records.entries()) {
      expect(await read(record)).toMatchObject(
        index % 2 === 0 ? { end_date: '2026-06-09', status_code: 'pending' } : { status_code: 'cancelled' },
      );
    }
    expect(await read(untouched)).toEqual(untouched);
  });
});
