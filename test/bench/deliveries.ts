import type { Feed } from './children/receiver.js';
import { callApi, type Installation } from './installation.js';
import type { Setting } from './setting.js';
import { type Spread, spreadOf } from './statistics.js';
import { atLeast, count, type Line, spreadText } from './table.js';

const ENDPOINTS = 10;
const FLOORS = { one: 500, ten: 1_000 };

/** Deliveries a second to one and to ten endpoints, by the worker of the running product. */
export async function measureDeliveries(setting: Setting, installation: Installation): Promise<Line> {
  setting.say('Measuring deliveries …');
  const receiver = setting.start('receiver');
  const receiverUrl = await receiver.ask<string>('start');
  const open = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number += 1) {
      const body = {
        name: `Endpoint ${number}`,
        url: `${receiverUrl}/${number}`,
        subscribed_events: ['org_unit.created', 'org_unit.updated'],
      };
      await callApi(installation, '/webhooks', { method: 'POST', body });
    }
  };
  const { databaseUrl, organisationId } = installation;
  const rateTo = async (endpoints: number): Promise<Spread> => {
    const run = (seconds: number): Promise<number> =>
      receiver.ask('deliveries', { databaseUrl, organisationId, endpoints, seconds } satisfies Feed);
    await run(setting.sizes.warmUp);
    const rates: number[] = [];
    while (rates.length < setting.sizes.rounds) rates.push(await run(setting.sizes.seconds));
    return spreadOf(rates);
  };
  await open(0, 1);
  const one = await rateTo(1);
  await open(1, ENDPOINTS);
  const ten = await rateTo(ENDPOINTS);
  await receiver.stop();
  return {
    what: 'Deliveries to 1 and to 10 endpoints',
    product: `${spreadText(one, count)}/s; ${spreadText(ten, count)}/s`,
    baselines: [],
    ratios: [],
    floors: [atLeast(FLOORS.one, one.median, '/s to 1'), atLeast(FLOORS.ten, ten.median, '/s to 10')],
  };
}
