import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from '../children.js';
import type { Load, Throughput } from '../children/load.js';
import { type ProcessorTime, processorTimeOf, usedBetween } from './processor-time.js';
import { median } from './statistics.js';

/** One of two sides under the same load. */
export interface Side {
  /** The processes that serve it: they and all that descend from them are counted. */
  readonly roots: readonly number[];
  /** What these processes use at rest, in seconds a second. */
  readonly idle: ProcessorTime;
  readonly load: Load;
}

/** What one side did in one round. */
export interface Round extends Omit<Throughput, 'seconds' | 'requests' | 'longest'> {
  readonly perSecond: number;
  /** Processor time in microseconds a request, without what is used at rest. */
  readonly program: number;
  readonly postgres: number;
}

/** Medians of the rounds' ratios, with the least and the greatest. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Two sides, measured in turns. */
export interface Comparison {
  readonly product: Round;
  readonly bare: Round;
  /** Bare over product: 1 where both cost the same, more where the product costs less. */
  readonly processor: Spread;
  /** Product over bare. */
  readonly throughput: Spread;
}

/** How much is asked for. */
export interface Plan {
  readonly rounds: number;
  /** Requests of one side in one round, and before the first round; 0 where both are warm. */
  readonly requests: number;
  readonly warmUp: number;
}

/** After a round its processes are watched for this long: what a load leaves to do counts too. */
const SETTLE_MILLISECONDS = 1_000;

/**
 * Loads the product and what it is compared with in turns, each round in the opposite order of the one before, so that nobody gets the quieter
 * moments. Gives a comparison for each of `bares`, in their order.
 */
export async function compare(
  generator: Child,
  product: Side,
  bares: readonly Side[],
  { rounds, requests, warmUp }: Plan,
): Promise<readonly Comparison[]> {
  const sides = [product, ...bares].map((side, number) => ({ side, name: `side ${number}`, rounds: [] as Round[] }));
  for (const { name, side } of sides) await generator.ask('prepare', { name, load: side.load });
  if (warmUp > 0) for (const { name } of sides) await generator.ask('run', { name, requests: warmUp });
  await wait(SETTLE_MILLISECONDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const one of round % 2 === 0 ? sides : sides.toReversed())
      one.rounds.push(await runRound(generator, one.name, one.side, requests));
  }
  for (const { name } of sides) await generator.ask('forget', { name });
  const products = sides[0]!.rounds;
  return sides.slice(1).map((bare) => ({
    product: middle(products),
    bare: middle(bare.rounds),
    processor: spreadOf(products.map((round, number) => processorOf(bare.rounds[number]!) / processorOf(round))),
    throughput: spreadOf(products.map(({ perSecond }, number) => perSecond / bare.rounds[number]!.perSecond)),
  }));
}

/** Processor time of the program and PostgreSQL together, in the unit of both. */
export function processorOf({ program, postgres }: Pick<Round, 'program' | 'postgres'>): number {
  return program + postgres;
}

/** The median of some numbers, and how far apart they are. */
export function spreadOf(numbers: readonly number[]): Spread {
  return { median: median(numbers), lowest: Math.min(...numbers), highest: Math.max(...numbers) };
}

/** What processes use at rest in each of some spans, one after the other, in seconds a second. */
export async function idleRatesOf(roots: readonly number[], milliseconds: number, spans: number): Promise<readonly ProcessorTime[]> {
  const rates: ProcessorTime[] = [];
  while (rates.length < spans) rates.push(await idleRateOf(roots, milliseconds));
  return rates;
}

/**
 * The least of these rates. What a start leaves to do, vacuuming for example, takes longer on a slow machine; taken off every round, it would
 * flatter.
 */
export async function lowestIdleRateOf(roots: readonly number[], milliseconds: number, spans: number): Promise<ProcessorTime> {
  const rates = await idleRatesOf(roots, milliseconds, spans);
  return rates.reduce((lowest, rate) => (processorOf(rate) < processorOf(lowest) ? rate : lowest));
}

async function idleRateOf(roots: readonly number[], milliseconds: number): Promise<ProcessorTime> {
  const [before, startedAt] = [processorTimeOf(roots), performance.now()];
  await wait(milliseconds);
  const after = processorTimeOf(roots);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { program: (after.program - before.program) / seconds, postgres: (after.postgres - before.postgres) / seconds };
}

async function runRound(generator: Child, name: string, { roots, idle }: Side, requests: number): Promise<Round> {
  const [before, startedAt] = [processorTimeOf(roots), performance.now()];
  const { seconds, requests: answered, ...throughput } = await generator.ask<Throughput>('run', { name, requests });
  await wait(SETTLE_MILLISECONDS);
  const used = usedBetween(before, processorTimeOf(roots), idle, (performance.now() - startedAt) / 1_000);
  const perRequest = 1_000_000 / answered;
  return { ...throughput, perSecond: answered / seconds, program: used.program * perRequest, postgres: used.postgres * perRequest };
}

function middle(rounds: readonly Round[]): Round {
  const of = (name: keyof Round): number => median(rounds.map((round) => round[name]));
  return {
    perSecond: of('perSecond'),
    bytesPerAnswer: of('bytesPerAnswer'),
    median: of('median'),
    percentile99: of('percentile99'),
    generator: of('generator'),
    program: of('program'),
    postgres: of('postgres'),
  };
}
