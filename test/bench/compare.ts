import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './children.js';
import type { Load, Throughput } from './children/load.js';
import { processorTimeOf } from './processor-time.js';
import type { Setting } from './setting.js';
import { type Spread, spreadOf } from './statistics.js';
import { count } from './table.js';

/** A server under a load. */
export interface Side {
  readonly pid: number;
  readonly load: Load;
}

/** What one side did in one round; processor time in microseconds a request. */
export interface Round {
  readonly perSecond: number;
  readonly node: number;
  readonly postgres: number;
}

/** After a round its processes are watched for this long: what a load leaves to do counts too. */
const SETTLE_MILLISECONDS = 500;

/**
 * Loads several sides in turns, each round in the opposite order of the one before, so that noise of the
 * machine meets all of them. Gives the rounds of each side. PostgreSQL is one for all sides, and only one of
 * them is loaded at a time.
 */
export async function compare(
  setting: Setting,
  generator: Child,
  sides: readonly Side[],
): Promise<readonly (readonly Round[])[]> {
  const { rounds, seconds, warmUp } = setting.sizes;
  const all = sides.map((side, number) => ({ side, name: `side ${number}`, rounds: [] as Round[] }));
  for (const { name, side } of all) {
    await generator.ask('prepare', { name, load: side.load });
    await generator.ask('run', { name, seconds: warmUp });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const one of round % 2 === 0 ? all : all.toReversed()) {
      const roots = [one.side.pid, setting.postgresPid];
      const before = processorTimeOf(roots);
      const throughput = await generator.ask<Throughput>('run', { name: one.name, seconds });
      await wait(SETTLE_MILLISECONDS);
      const after = processorTimeOf(roots);
      const perRequest = 1_000_000 / throughput.requests;
      one.rounds.push({
        perSecond: throughput.requests / throughput.seconds,
        node: (after.node - before.node) * perRequest,
        postgres: (after.postgres - before.postgres) * perRequest,
      });
    }
  }
  for (const { name } of all) await generator.ask('forget', { name });
  return all.map((one) => one.rounds);
}

/**
 * What a request costs the other side over what it costs this one: 1 where both cost the same, below 1 where
 * this one costs more.
 */
export function processorRatio(rounds: readonly Round[], others: readonly Round[]): Spread {
  return spreadOf(rounds.map((round, number) => processorOf(others[number]!) / processorOf(round)));
}

/** Requests a second of this side over those of the other one. */
export function rateRatio(rounds: readonly Round[], others: readonly Round[]): Spread {
  return spreadOf(rounds.map(({ perSecond }, number) => perSecond / others[number]!.perSecond));
}

/** What a request costs and how many a second there were, each the median of the rounds. */
export function costText(rounds: readonly Round[]): string {
  const of = (figure: (round: Round) => number): string => count(spreadOf(rounds.map(figure)).median);
  return `${of(processorOf)} µs (${of(({ node }) => node)} + ${of(({ postgres }) => postgres)}), ${of(({ perSecond }) => perSecond)}/s`;
}

function processorOf({ node, postgres }: Round): number {
  return node + postgres;
}
