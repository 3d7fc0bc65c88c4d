import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { MIGRATIONS } from '#resources/migrations.js';
import type { AppendLoad } from '../children/appender.js';
import { median } from '../measure/statistics.js';
import { count, type Line } from '../report/table.js';
import type { Setting } from './setting.js';

const WRITERS = 32;

/** Appends of one event each, by 32 writers at once, to new streams and to the ends of 32 streams. */
export async function measureAppends(setting: Setting): Promise<readonly Line[]> {
  setting.say('Measuring append …');
  const databaseUrl = await setting.database('appends');
  const pool = createPool(databaseUrl, { applicationName: 'bench', maximum: 1 });
  await migrate(pool, MIGRATIONS);
  await pool.end();
  const appender = setting.start('appender');
  const results: Record<AppendLoad['streams'], number[]> = { new: [], grow: [] };
  for (let round = 0; round < setting.options.rounds; round += 1) {
    for (const streams of ['new', 'grow'] as const) {
      results[streams].push(
        await appender.ask<number>('run', {
          databaseUrl,
          writers: WRITERS,
          seconds: setting.options.seconds,
          streams,
        } satisfies AppendLoad),
      );
    }
  }
  await appender.end();
  const line = (what: string, numbers: readonly number[]): Line => ({
    figures: [median(numbers)],
    what: `Appends, ${WRITERS} writers, ${what}`,
    product: `${count(median(numbers))} events/s`,
    bare: '',
    ratio: '',
    throughputRatio: '',
    goal: '',
    isMet: null,
    remarks: `rounds ${count(Math.min(...numbers))}–${count(Math.max(...numbers))}; one event an append, each on the disk before it is answered`,
  });
  return [line('a new stream each', results.new), line(`${WRITERS} streams`, results.grow)];
}
