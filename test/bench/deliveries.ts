import type { Feed, Neighbours } from './children/receiver.js';
import { callApi, type Installation, openOrganisation } from './installation.js';
import type { Setting } from './setting.js';
import { percentile, type Spread, spreadOf } from './statistics.js';
import { atLeast, atMost, count, type Line, spreadText } from './table.js';

const ENDPOINTS = 10;
const FLOORS = { one: 500, ten: 1_000 };
const HANGING_ORGANISATIONS = 4;
const HANGING_ENDPOINTS = 9;
/** Seconds from the event to its first attempt. */
const DELAY_CEILING = 2;

/**
 * Deliveries a second to one and to ten endpoints, by the worker of the running product; and how soon first
 * attempts come while the receivers of other organisations hang.
 */
export async function measureDeliveries(setting: Setting, installation: Installation): Promise<readonly Line[]> {
  setting.say('Measuring deliveries …');
  const receiver = setting.start('receiver');
  const receiverUrl = await receiver.ask<string>('start');
  const endpoint = async (caller: Pick<Installation, 'url' | 'apiKey'>, path: string): Promise<void> => {
    const body = {
      name: `Endpoint ${path}`,
      url: `${receiverUrl}/${path}`,
      subscribed_events: ['org_unit.created', 'org_unit.updated'],
    };
    await callApi(caller, '/webhooks', { method: 'POST', body });
  };
  const open = async (from: number, to: number): Promise<void> => {
    for (let number = from; number < to; number += 1) await endpoint(installation, String(number));
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
  const hangingOrganisationIds: string[] = [];
  for (let number = 0; number < HANGING_ORGANISATIONS; number += 1) {
    const { organisationId: id, apiKey } = await openOrganisation(databaseUrl, `hanging${number}`);
    hangingOrganisationIds.push(id);
    for (let index = 0; index < HANGING_ENDPOINTS; index += 1)
      await endpoint({ url: installation.url, apiKey }, `hanging/${number}/${index}`);
  }
  const delays = await receiver.ask<readonly number[]>('delays', {
    databaseUrl,
    organisationId,
    hangingOrganisationIds,
    hangingEndpoints: HANGING_ORGANISATIONS * HANGING_ENDPOINTS,
    events: setting.sizes.delays,
  } satisfies Neighbours);
  await receiver.stop();
  const [median, high] = [percentile(delays, 0.5), percentile(delays, 0.9)];
  const rates: Line = {
    what: 'Deliveries to 1 and to 10 endpoints',
    product: `${spreadText(one, count)}/s; ${spreadText(ten, count)}/s`,
    baselines: [],
    ratios: [],
    floors: [atLeast(FLOORS.one, one.median, '/s to 1'), atLeast(FLOORS.ten, ten.median, '/s to 10')],
  };
  const fairness: Line = {
    what: `First attempts beside ${HANGING_ORGANISATIONS * HANGING_ENDPOINTS} endpoints of others that hang`,
    product: `half within ${count(median)} ms, 90 % within ${count(high)} ms`,
    baselines: [],
    ratios: [],
    floors: [atMost(DELAY_CEILING, high / 1_000, ' s for 90 %')],
  };
  return [rates, fairness];
}
