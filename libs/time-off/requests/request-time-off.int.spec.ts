import { contextOf, createPerson, newOrganisation, worldForSpec } from '../../../test/support/people/world.js';
import { testContext } from '../../../test/support/command-services.js';
import type { CommandServices } from '#commands/services.js';
import { createTimeOffCategory } from '../category/time-off-category.api.js';
import { changeTimeOff, requestTimeOff, stepTimeOff } from './request-time-off.js';
import { findTimeOff } from '../records/read-time-off.js';

const world = worldForSpec();
let services: CommandServices;
let organisationId: string;
let wanted: { person_id: string; category_id: string; start_date: string; end_date: string };

beforeEach(async () => {
  const { eventStore: store, pool: executor, projector, mint } = world;
  services = { store, executor, projector, mint };
  organisationId = await newOrganisation(world);
  const category = await createTimeOffCategory(services, testContext(organisationId), { label: 'Leave' });
  wanted = {
    person_id: await createPerson(world, organisationId),
    category_id: category.id,
    start_date: '2026-03-02',
    end_date: '2026-03-06',
  };
});

const request = (seed: string) => contextOf(organisationId, { today: '2026-03-01', seed });

describe('the row of a record', () => {
  it('equals the response of the command, and contains its state after each event', async () => {
    const made = await requestTimeOff(services, request('make'), wanted);
    expect(await findTimeOff(world.pool, organisationId, made.id)).toEqual(made);
    await stepTimeOff(services, request('approve'), made.id, 'approve');
    const changed = await changeTimeOff(services, request('change'), made.id, { end_date: '2026-03-02' });
    expect(await findTimeOff(world.pool, organisationId, made.id)).toEqual(changed);
    const { rows } = await world.pool.query<{
      history: readonly { status_code: string; recorded_at: string; category_id: string; days: readonly object[] }[];
    }>('select history from time_off where id = $1', [made.id]);
    expect(rows[0]!.history.map(({ status_code, days }) => [status_code, days.length])).toEqual([
      ['pending', 5],
      ['approved', 5],
      ['pending', 1],
    ]);
    expect(rows[0]!.history.at(-1)).toEqual({
      status_code: 'pending',
      category_id: wanted.category_id,
      recorded_at: changed.updated_at.toISOString(),
      days: [{ date: '2026-03-02', minutes: 480, counted: true }],
    });
  });

  it('is written again by the next request where a crash left it out, and what is written already is not touched', async () => {
    const { id: written } = await requestTimeOff(services, request('first'), wanted);
    const { id: lost } = await requestTimeOff(services, request('second'), {
      ...wanted,
      start_date: '2026-03-09',
      end_date: '2026-03-09',
    });
    await world.pool.query('delete from time_off where id = $1', [lost]);
    const versionOf = async () =>
      (await world.pool.query('select xmin, xmax from time_off where id = $1', [written])).rows;
    const before = await versionOf();
    await requestTimeOff(services, request('third'), { ...wanted, start_date: '2026-03-10', end_date: '2026-03-10' });
    expect(await findTimeOff(world.pool, organisationId, lost)).toMatchObject({ id: lost, start_date: '2026-03-09' });
    expect(await versionOf()).toEqual(before);
  });

  it('is left alone by the catch-up where it is written already, and written where it is not', async () => {
    const { id: written } = await requestTimeOff(services, request('first'), wanted);
    const { id: lost } = await requestTimeOff(services, request('second'), {
      ...wanted,
      start_date: '2026-03-09',
      end_date: '2026-03-09',
    });
    await world.pool.query('delete from time_off where id = $1', [lost]);
    const versionOf = async () =>
      (await world.pool.query('select xmin, xmax from time_off where id = $1', [written])).rows;
    const before = await versionOf();
    await world.projector.project(world.pool, [
      await world.eventStore.readStream(`time-off-${organisationId}.${wanted.person_id}`),
    ]);
    expect(await findTimeOff(world.pool, organisationId, lost)).toMatchObject({ id: lost, start_date: '2026-03-09' });
    expect(await versionOf()).toEqual(before);
  });

  it('is looked for alone where an event changed it: by its id, up to the revision of the event', async () => {
    const { id: first } = await requestTimeOff(services, request('first'), wanted);
    const { id: second } = await requestTimeOff(services, request('second'), {
      ...wanted,
      start_date: '2026-03-09',
      end_date: '2026-03-09',
    });
    await stepTimeOff(services, request('approve'), first, 'approve');
    const name = `time-off-${organisationId}.${wanted.person_id}`;
    const events = await world.eventStore.readStream(name);
    const stale = (upTo: number) => world.projector.stale(world.pool, events.slice(0, upTo));
    expect(await stale(3)).toEqual([]);
    await world.pool.query('update time_off set revision = 0 where id = $1', [first]);
    expect(await stale(2)).toEqual([]);
    expect(await stale(3)).toEqual([name]);
    await world.pool.query('delete from time_off where id = $1', [second]);
    expect(await stale(1)).toEqual([]);
    expect(await stale(2)).toEqual([name]);
  });
});
