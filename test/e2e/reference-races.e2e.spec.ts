import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Position, RecordedEvent } from '#event-store/event-store.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { eventually } from '../contract/event-store.support.js';
import { type Pair, PAIRS, type Scene } from '../support/references/pairs.js';
import { type Racer, RacingSetting } from '../support/references/racing.js';
import { testSize } from '../support/test-size.js';

/** Races of each of 30 pairs, besides the two in a forced order. */
const ROUNDS = testSize('REFERENCE_RACES', { usual: 2, long: 20 });

let setting: RacingSetting;
let seen: Position | null = null;

beforeAll(async () => {
  setting = await RacingSetting.make();
});
afterAll(() => setting.end());

interface Outcome {
  readonly isRetired: boolean;
  readonly isReferred: boolean;
}

/** Active people who are, or will be, in a unit although it is archived, and active units below it. */
async function leftBehind({ stream }: Scene): Promise<unknown> {
  const { rows } = await setting.api.database.pool.query(
    `select 'person ' || b.person_id as what, b.valid::text from employment_beliefs b
       join people p on p.organisation_id = b.organisation_id and p.person_id = b.person_id and p.status = 'active'
       join org_units u on u.organisation_id = b.organisation_id and u.id = b.department_id and u.archived_at is not null
      where u.id = $1 and upper_inf(b.known) and b.employed and b.valid && daterange(current_date, null)
     union all
     select 'unit ' || c.id, null from org_units c
       join org_units u on u.organisation_id = c.organisation_id and u.id = c.parent_id and u.archived_at is not null
      where u.id = $1 and c.archived_at is null`,
    [partsOfStream(stream).entityId],
  );
  return rows;
}

/**
 * Nobody refers to what was retired before; of the two one at least is accepted, and both only where use does
 * not keep it.
 */
async function assertKept({ isKept }: Pair, scene: Scene, { isRetired, isReferred }: Outcome): Promise<void> {
  expect(isRetired || isReferred).toBe(true);
  const events = await eventsSince();
  const [retired, referred] = [
    events.findIndex(({ stream }) => stream === scene.stream),
    events.findIndex(({ stream }) => scene.isReference(stream)),
  ];
  expect([retired !== -1, referred !== -1]).toEqual([isRetired, isReferred]);
  if (isRetired && isReferred) expect([isKept, referred < retired]).toEqual([false, true]);
  expect(await leftBehind(scene)).toEqual([]);
}

/** Everything that was recorded since this was called last. */
async function eventsSince(): Promise<readonly RecordedEvent[]> {
  const events = await setting.api.services.store.readRecorded(seen, 1_000);
  seen = events.at(-1)?.position ?? seen;
  return events;
}

function twoRacers(): readonly [Racer, Racer] {
  const [one, other] = setting.racers;
  return [one, randomInt(2) === 0 ? one : other];
}

/** Whether a promise has settled, without waiting for it. */
function watch(work: Promise<boolean>): () => boolean {
  let isSettled = false;
  work.then(
    () => (isSettled = true),
    () => (isSettled = true),
  );
  return () => isSettled;
}

/** Whether somebody waits to have a lock alone. */
async function isAwaited(): Promise<boolean> {
  const { rowCount } = await setting.api.database.pool.query(
    `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
  );
  return rowCount! > 0;
}

describe.each(PAIRS.map((pair) => [pair.name, pair] as const))('%s', (_, pair) => {
  it('while it is being retired, in any order', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const scene = await pair.prepare(setting);
      await eventsSince();
      const [one, other] = twoRacers();
      const late = async (work: () => Promise<boolean>): Promise<boolean> =>
        wait(randomInt(2) * randomInt(25)).then(work);
      const [isRetired, isReferred] = await Promise.all([
        late(() => scene.retire(one)),
        late(() => scene.refer(other)),
      ]);
      await assertKept(pair, scene, { isRetired, isReferred });
    }
  });

  it('and the retirement begins right before the reference is appended', async () => {
    const scene = await pair.prepare(setting);
    await eventsSince();
    const [one, other] = twoRacers();
    const stopped = setting.gate.stop(scene.isReference);
    const referring = scene.refer(other);
    await Promise.race([stopped.reached, referring]);
    const retiring = scene.retire(one);
    const isRetiredYet = watch(retiring);
    await eventually(async () => isRetiredYet() || (await isAwaited()));
    stopped.open();
    const [isRetired, isReferred] = await Promise.all([retiring, referring]);
    expect({ isRetired, isReferred }).toEqual({ isRetired: !pair.isKept, isReferred: true });
    await assertKept(pair, scene, { isRetired, isReferred });
  });

  it('and the reference begins right before the retirement is appended', async () => {
    const scene = await pair.prepare(setting);
    await eventsSince();
    const [one, other] = twoRacers();
    const stopped = setting.gate.stop((stream) => stream === scene.stream);
    const retiring = scene.retire(one);
    await Promise.race([stopped.reached, retiring]);
    const referring = scene.refer(other);
    const isReferredYet = watch(referring);
    await eventually(async () => isReferredYet() || (await isAwaited()));
    stopped.open();
    const [isRetired, isReferred] = await Promise.all([retiring, referring]);
    await assertKept(pair, scene, { isRetired, isReferred });
    expect({ isRetired, isReferred }).toEqual({ isRetired: true, isReferred: false });
  });
});
