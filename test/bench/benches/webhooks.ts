import { recordPeople, skipLog } from '../fixture.js';
import type { Line } from '../report/table.js';
import type { Setting } from './setting.js';
import { measureDelay, writesOf } from './webhooks/delay.js';
import { measureHeadOfLine } from './webhooks/head-of-line.js';
import { measureRate } from './webhooks/rate.js';
import { measureReads } from './webhooks/reads.js';
import { onStage, rebuildPeople } from './webhooks/stage.js';

/** Deliveries: how many a second, how soon, what each costs, and what they cost others. */
export async function measureWebhooks(setting: Setting): Promise<readonly Line[]> {
  const lines: Line[] = [];
  await onStage(setting, 'webhooks', async (stage) => {
    const personIds = await recordPeople(stage.fixture, writesOf(setting), () => ({ facts: 1, changes: 0 }));
    await rebuildPeople(stage.fixture);
    await skipLog(stage.fixture);
    await stage.worker.ask('start', { databaseUrl: stage.fixture.url });
    for (const endpoints of [1, 10]) lines.push(...(await measureRate(stage, endpoints)));
    lines.push(await measureDelay(stage, personIds));
    lines.push(await measureHeadOfLine(stage));
  });
  await onStage(setting, 'webhooks_import', async (stage) => lines.push(...(await measureReads(stage))));
  return lines;
}
