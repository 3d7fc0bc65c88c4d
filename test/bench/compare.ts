import type { Child } from './children.js';
import type { Load, Throughput } from './children/load-generator.js';

/** One of two servers under the same load. */
export interface Side {
  readonly server: Child;
  readonly load: Load;
}

/** What one side did in one round. */
export interface Round extends Throughput {
  /** Processor time of the server alone, in microseconds a request. */
  readonly processor: number;
}

/** Two sides, measured in turns. */
export interface Comparison {
  readonly product: Round;
  readonly bare: Round;
  /** Median of the rounds' ratios of requests per second, product over bare. */
  readonly ratio: number;
  readonly lowestRatio: number;
  readonly highestRatio: number;
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The least of some numbers that this share of them does not exceed; `share` from 0 to 1. 0 where there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Loads both sides in turns, the first of a round being the second of the next, so that neither gets the quieter moments. */
export async function compare(
  generator: Child,
  product: Side,
  bare: Side,
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<Comparison> {
  for (const side of [product, bare]) await runRound(generator, { ...side, load: { ...side.load, seconds: warmUp } });
  const products: Round[] = [];
  const bares: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) products.push(await runRound(generator, product));
    bares.push(await runRound(generator, bare));
    if (round % 2 === 1) products.push(await runRound(generator, product));
  }
  const ratios = products.map(({ perSecond }, round) => perSecond / bares[round]!.perSecond);
  return {
    product: middle(products),
    bare: middle(bares),
    ratio: median(ratios),
    lowestRatio: Math.min(...ratios),
    highestRatio: Math.max(...ratios),
  };
}

async function runRound(generator: Child, { server, load }: Side): Promise<Round> {
  const before = await server.ask<number>('processorSeconds');
  const throughput = await generator.ask<Throughput>('run', load);
  const after = await server.ask<number>('processorSeconds');
  return { ...throughput, processor: ((after - before) * 1_000_000) / throughput.requests };
}

function middle(rounds: readonly Round[]): Round {
  const of = (name: keyof Round): number => median(rounds.map((round) => round[name]));
  return {
    requests: of('requests'),
    perSecond: of('perSecond'),
    bytesPerAnswer: of('bytesPerAnswer'),
    median: of('median'),
    percentile99: of('percentile99'),
    processor: of('processor'),
  };
}
