import type { Progress, RebuildRun } from '../children/rebuilder.js';
import { openFixture, recordPeople } from '../fixture.js';
import { count, type Line } from '../report/table.js';
import { type ProcessorTime, processorTimeOf, usedBetween } from '../measure/processor-time.js';
import type { Setting } from './setting.js';

/** Events for each second of processor time. */
const GOAL = 25_000;
/** Nothing else uses this PostgreSQL, and it does next to nothing at rest. */
const AT_REST: ProcessorTime = { program: 0, postgres: 0 };
/** Facts of a person, beside the one event of their identity. */
const FACTS = 9;
/** The last fifth may be this much slower than the first before it counts as slower: the clock is coarse. */
const TOLERANCE = 0.95;
/** Resident memory may grow by this much from a quarter of the way to the end: V8 collects when it likes. */
const MEMORY_TOLERANCE = 1.3;

/** Rebuilds the read tables of people from a long history. */
export async function measureRebuild(setting: Setting): Promise<readonly Line[]> {
  const people = Math.ceil(setting.options.events / (FACTS + 1));
  const fixture = await openFixture(await setting.database('rebuild'));
  let reported = 0;
  await recordPeople(
    fixture,
    people,
    () => ({ facts: FACTS, changes: 0 }),
    (done) => {
      if (done - reported < people / 5 && done < people) return;
      reported = done;
      setting.say(`Recorded ${count(done * (FACTS + 1))} of ${count(people * (FACTS + 1))} events`);
    },
  );
  await fixture.pool.query('vacuum analyze');
  await fixture.pool.query('checkpoint');
  await fixture.close();
  setting.say('Measuring rebuild …');
  const rebuilder = setting.start('rebuilder');
  const roots = [rebuilder.pid, setting.postgresPid];
  const before = processorTimeOf(roots);
  const run = await rebuilder.ask<RebuildRun>('run', { databaseUrl: fixture.url, projection: 'people' });
  const used = usedBetween(before, processorTimeOf(roots), AT_REST, run.rebuilt.seconds);
  await rebuilder.end();
  return [lineOf(run, used)];
}

function lineOf({ rebuilt, progress, largestMemory, foldingProcessor }: RebuildRun, used: ProcessorTime): Line {
  const perCoreSecond = rebuilt.events / (used.program + used.postgres);
  const folding = progress.at(-1)!;
  const [first, last] = [rateBetween(progress, 0, 0.2), rateBetween(progress, 0.8, 1)];
  const memories = [0.25, 0.5, 0.75, 1].map((share) => at(progress, share).memory);
  const isFlat = memories.at(-1)! <= memories[0]! * MEMORY_TOLERANCE;
  return {
    what: `Rebuild of people, ${count(rebuilt.events)} events`,
    figures: [perCoreSecond],
    ratio: '',
    goal: `≥ ${count(GOAL)} per core-second, flat`,
    isMet: perCoreSecond >= GOAL && last >= first * TOLERANCE && isFlat,
    product: `${count(perCoreSecond)} events per core-second, ${count(rebuilt.events / rebuilt.seconds)}/s`,
    bare: '',
    throughputRatio: '',
    remarks: [
      'one run, without a warm-up, of the largest projection alone',
      `${rebuilt.seconds.toFixed(1)} s, of which folding and COPY ${folding.seconds.toFixed(1)} s (${count(rebuilt.events / folding.seconds)}/s)`,
      `processor of Node.js ${used.program.toFixed(1)} s, of it folding ${foldingProcessor.toFixed(1)} s, of PostgreSQL ${used.postgres.toFixed(1)} s`,
      `first fifth ${count(first)}/s, last fifth ${count(last)}/s`,
      `${count(rebuilt.rows)} rows`,
      `resident memory ${memories.join(' → ')} MB, at most ${largestMemory} MB`,
    ].join('; '),
  };
}

function at(progress: readonly Progress[], share: number): Progress {
  const events = progress.at(-1)!.events * share;
  return progress.find((point) => point.events >= events)!;
}

function rateBetween(progress: readonly Progress[], from: number, to: number): number {
  const start = from === 0 ? { events: 0, seconds: 0 } : at(progress, from);
  const end = at(progress, to);
  return (end.events - start.events) / (end.seconds - start.seconds);
}
