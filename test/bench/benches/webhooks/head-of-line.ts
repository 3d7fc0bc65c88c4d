import type { Reception } from '../../children/receiver.js';
import { median, percentile } from '../../measure/statistics.js';
import { count, type Line } from '../../report/table.js';
import { closeEndpoints, feedOf, openEndpoints, pathOf, pause, type Stage } from './stage.js';

/** At most this ratio. */
const GOAL = 1.5;
const HEALTHY = 9;
/** Ten times as many deliveries. */
const EVENTS_PER_SECOND = 40;
/** What waits for the endpoint that hangs stays below the 500 that would stop it. */
const LARGEST_WAITING = 450;

/** What nine endpoints wait while a tenth hangs, over what they wait without it. */
export async function measureHeadOfLine(stage: Stage): Promise<Line> {
  const { setting } = stage;
  setting.say('Measuring nine endpoints beside one that hangs …');
  const { rounds, warmUp } = setting.options;
  const seconds = Math.min(setting.options.seconds, LARGEST_WAITING / EVENTS_PER_SECOND);
  await slowestOf(stage, { hanging: 0, seconds: Math.min(warmUp, seconds) });
  const [beside, alone]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) beside.push(await slowestOf(stage, { hanging: 1, seconds }));
    alone.push(await slowestOf(stage, { hanging: 0, seconds }));
    if (round % 2 === 1) beside.push(await slowestOf(stage, { hanging: 1, seconds }));
  }
  const ratios = beside.map((milliseconds, round) => milliseconds / alone[round]!);
  const ratio = median(ratios);
  return {
    what: 'Recorded to received, 9 endpoints beside one that hangs',
    figures: [ratio],
    product: `p99 ${count(median(beside))} ms`,
    bare: `p99 ${count(median(alone))} ms`,
    ratio: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    throughputRatio: '',
    goal: `≤ ${GOAL}`,
    isMet: ratio <= GOAL,
    remarks: `the ratio is of p99; bare: the nine alone; ${EVENTS_PER_SECOND} events/s to each, ${seconds} s a round, so that fewer than 500 wait for the one that hangs`,
  };
}

/** The p99 of the healthy endpoints in milliseconds, from the recording of an event to its delivery's coming. */
async function slowestOf(stage: Stage, { hanging, seconds }: { readonly hanging: 0 | 1; readonly seconds: number }): Promise<number> {
  const { receiver, feeder, fixture } = stage;
  const healthy = (await openEndpoints(stage, HEALTHY + hanging)).slice(0, HEALTHY);
  await receiver.ask('hang', { path: hanging === 0 ? null : pathOf(HEALTHY) });
  await receiver.ask('note', { on: true });
  await feeder.ask('start', feedOf(stage, healthy, EVENTS_PER_SECOND));
  await pause(seconds * 1_000);
  await feeder.ask<number>('stop');
  const came = await receiver.ask<readonly Reception[]>('note', { on: false });
  // Nothing is left of this round that could be sent in the next one.
  await closeEndpoints(fixture);
  await receiver.ask('hang', { path: null });
  const delays = came.filter(({ path }) => healthy.includes(path)).map(({ recordedAt, at }) => at - recordedAt);
  return percentile(delays, 0.99);
}
