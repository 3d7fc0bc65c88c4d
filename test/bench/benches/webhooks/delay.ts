import type { PacedWrites, SentTimes } from '../../children/paced-writer.js';
import type { Reception } from '../../children/receiver.js';
import { percentile } from '../../measure/statistics.js';
import { count, type Line } from '../../report/table.js';
import { PREFIX } from '../../sides/product.js';
import type { Setting } from '../setting.js';
import { openEndpoints, type Stage, startApi, until } from './stage.js';

/** Milliseconds. */
const GOAL = 1_000;
const WRITES_PER_SECOND = 100;

/** Requests of the paced writer: as long as all rounds of another measurement are. */
export function writesOf({ options: { rounds, seconds, warmUp } }: Setting): number {
  return Math.ceil((rounds * seconds + warmUp) * WRITES_PER_SECOND);
}

/** From when a request of the API was sent to when the receiver had its delivery. */
export async function measureDelay(stage: Stage, personIds: readonly string[]): Promise<Line> {
  const { setting, fixture, receiver } = stage;
  setting.say('Measuring the time from a request to its delivery …');
  await openEndpoints(stage, 1);
  const product = await startApi(stage);
  const url = product.url + PREFIX;
  const writer = setting.start('paced-writer');
  await receiver.ask('note', { on: true });
  const sent = await writer.ask<SentTimes>('run', {
    url,
    apiKey: fixture.apiKey,
    personIds,
    perSecond: WRITES_PER_SECOND,
  } satisfies PacedWrites);
  const received = new Map<string, number>();
  await until(async () => {
    for (const { resourceId, at } of await receiver.ask<readonly Reception[]>('note', { on: true }))
      received.set(resourceId, received.get(resourceId) ?? at);
    return personIds.every((id) => received.has(id));
  });
  await receiver.ask('note', { on: false });
  await writer.end();
  await product.stop();
  const warm = personIds.slice(Math.ceil(setting.options.warmUp * WRITES_PER_SECOND));
  const milliseconds = warm.map((id) => received.get(id)! - sent[id]!);
  const [p50, p99] = [percentile(milliseconds, 0.5), percentile(milliseconds, 0.99)];
  return {
    what: `Request sent to delivery received, ${WRITES_PER_SECOND} PATCH/s`,
    figures: [p99],
    product: `p50/p99 ${p50}/${p99} ms`,
    bare: '',
    ratio: '',
    throughputRatio: '',
    goal: `p99 < ${count(GOAL)} ms`,
    isMet: p99 < GOAL,
    remarks: `${count(warm.length)} requests to the API, one endpoint; longest ${count(Math.max(...milliseconds))} ms`,
  };
}
