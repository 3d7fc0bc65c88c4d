import type { Imported } from './installation.js';
import { processorTimeOf } from './processor-time.js';
import type { Setting } from './setting.js';
import { atLeast, count, type Line } from './table.js';

/** Events for each second of processor time, and how much of that rate the larger history keeps at least. */
const FLOOR = 8_000;
const FLAT = 0.9;

/** Rebuilds the read tables of people from a smaller and from a larger history. */
export async function measureRebuild(setting: Setting, imported: readonly [Imported, Imported]): Promise<Line> {
  setting.say('Recording longer histories …');
  const rebuilder = setting.start('rebuilder');
  for (const { url } of imported) await rebuilder.ask('lengthenHistory', { databaseUrl: url });
  setting.say('Measuring rebuilds …');
  const rebuildOf = async ({ url }: Imported) => {
    const roots = [rebuilder.pid, setting.postgresPid];
    const [before, startedAt] = [processorTimeOf(roots), performance.now()];
    const events = await rebuilder.ask<number>('rebuildPeople', { databaseUrl: url });
    const [after, seconds] = [processorTimeOf(roots), (performance.now() - startedAt) / 1_000];
    const cost = after.node + after.postgres - before.node - before.postgres;
    return {
      perCoreSecond: events / cost,
      text: `${count(events)} events in ${seconds.toFixed(1)} s, ${count(events / cost)} per core-second`,
    };
  };
  // Once without being measured, for the compiler.
  await rebuildOf(imported[0]);
  const [fewer, more] = [await rebuildOf(imported[0]), await rebuildOf(imported[1])];
  await rebuilder.stop();
  const flatness = more.perCoreSecond / fewer.perCoreSecond;
  return {
    what: 'Rebuild of people',
    product: more.text,
    baselines: [fewer.text],
    ratios: [`${flatness.toFixed(2)} of the rate of the smaller`],
    floors: [atLeast(FLOOR, more.perCoreSecond, ' per core-second'), atLeast(FLAT, flatness, ' of the smaller')],
  };
}
