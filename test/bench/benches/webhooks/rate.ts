import type { BareSending } from '../../children/bare-sender.js';
import type { Statements } from '../../children/webhook-worker.js';
import { median } from '../../measure/statistics.js';
import type { Fixture } from '../../fixture.js';
import { count, type Line } from '../../report/table.js';
import { feedOf, openEndpoints, pause, type Stage, until } from './stage.js';

/** Deliveries a second, by the number of endpoints. */
const GOALS: Readonly<Record<number, number>> = { 1: 1_500, 10: 3_000 };
/** Attempts at once of the worker, which the bare sender makes as well: to one endpoint, and of one organisation. */
const CONCURRENCY = { endpoint: 20, organisation: 80 };
/** From the first event until the worker has as much in progress as it ever has. */
const STEADY_MILLISECONDS = 500;

interface Rate {
  readonly perSecond: number;
  readonly own: number;
  readonly queue: number;
  /** Processor of the worker, microseconds a delivery. */
  readonly processor: number;
}

/** Deliveries a second and what each costs in statements, against a sender without a database. */
export async function measureRate(stage: Stage, endpoints: number): Promise<readonly Line[]> {
  const { setting } = stage;
  const { rounds, seconds, warmUp } = setting.options;
  const to = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
  setting.say(`Measuring deliveries to ${to} …`);
  const paths = await openEndpoints(stage, endpoints);
  const connections = Math.min(CONCURRENCY.endpoint * endpoints, CONCURRENCY.organisation);
  const bareSender = setting.start('bare-sender');
  const bare = (duration: number): Promise<number> =>
    bareSender.ask('run', { receiverUrl: stage.receiverUrl, paths, connections, seconds: duration } satisfies BareSending);
  await deliveredIn(stage, paths, warmUp);
  await bare(warmUp);
  const products: Rate[] = [];
  const bares: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    products.push(await deliveredIn(stage, paths, seconds));
    bares.push(await bare(seconds));
  }
  await bareSender.end();
  const goal = GOALS[endpoints]!;
  const perSecond = median(products.map((product) => product.perSecond));
  const ratios = products.map((product, round) => product.perSecond / bares[round]!);
  const of = (name: keyof Rate): number => median(products.map((product) => product[name]));
  const statements = of('own') + of('queue');
  return [
    {
      what: `Deliveries to ${to}, acknowledged`,
      figures: [perSecond],
      product: `${count(perSecond)}/s`,
      bare: `${count(median(bares))}/s`,
      ratio: '',
      throughputRatio: `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      goal: `≥ ${count(goal)}/s`,
      isMet: perSecond >= goal,
      remarks: `rounds ${count(Math.min(...products.map((product) => product.perSecond)))}–${count(Math.max(...products.map((product) => product.perSecond)))}/s; worker processor ${count(of('processor'))} µs a delivery; bare: ${connections} connections, no database`,
    },
    {
      what: `Statements a delivery, ${to}`,
      figures: [statements],
      product: statements.toFixed(2),
      bare: '',
      ratio: '',
      throughputRatio: '',
      goal: '',
      isMet: null,
      remarks: `${of('own').toFixed(2)} of the worker's own, fan-out and catch-up included; ${of('queue').toFixed(2)} of the queue of wake signals`,
    },
  ];
}

/** Feeds until things are steady, then measures, then waits until all has come. */
async function deliveredIn(stage: Stage, paths: readonly string[], seconds: number): Promise<Rate> {
  const { feeder, fixture } = stage;
  await feeder.ask('start', feedOf(stage, paths, null));
  await pause(STEADY_MILLISECONDS);
  const before = await read(stage);
  await pause(seconds * 1_000);
  const after = await read(stage);
  await feeder.ask<number>('stop');
  const { rows } = await fixture.pool.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where organisation_id = $1 and status = 'delivered' and finished_at >= $2 and finished_at < $3`,
    [fixture.surroundings.organisationId, before.now, after.now],
  );
  const deliveries = rows[0]!.count;
  await until(async () => (await waitingDeliveries(fixture)) === 0);
  return {
    perSecond: deliveries / ((after.now.getTime() - before.now.getTime()) / 1_000),
    own: (after.statements.own - before.statements.own) / deliveries,
    queue: (after.statements.queue - before.statements.queue) / deliveries,
    processor: ((after.processor - before.processor) * 1_000_000) / deliveries,
  };
}

interface Reading {
  readonly now: Date;
  readonly statements: Statements;
  /** Seconds. */
  readonly processor: number;
}

async function read({ fixture: { pool }, worker }: Stage): Promise<Reading> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  return {
    now: rows[0]!.now,
    statements: await worker.ask<Statements>('statements'),
    processor: await worker.ask<number>('processorSeconds'),
  };
}

async function waitingDeliveries({ pool }: Fixture): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where status in ('pending', 'retry_scheduled')`,
  );
  return rows[0]!.count;
}
