import { parseArgs } from 'node:util';

/** Every measurement, by the name that `--only` takes. */
export const BENCHES = [
  'read',
  'list',
  'timeline',
  'patch',
  'new-person',
  'time-off',
  'search',
  'directory',
  'long-streams',
  'fairness',
  'mcp',
  'append',
  'import',
  'rebuild',
  'eventstoredb',
  'webhooks',
  'start',
] as const;

export type BenchName = (typeof BENCHES)[number];

/** What a run measures, and how long. */
export interface Options {
  readonly only: readonly BenchName[];
  /** People of the organisation that is read and written, each with two years of time off where that is measured. */
  readonly people: number;
  /** How often everything is measured, from fresh databases on. The run with the middle figure is shown. */
  readonly runs: number;
  /** Rounds of A, B; a median is taken over them. */
  readonly rounds: number;
  /** Share of the usual number of requests of a round and of the warm-up. */
  readonly scale: number;
  /** Seconds of one side in one round, where a round has no set number of requests: appends and webhooks. */
  readonly seconds: number;
  /** Seconds of load before the first of these rounds. */
  readonly warmUp: number;
  /** Lines of the imported file. */
  readonly importRows: number;
  /** Events of the rebuilt history. */
  readonly events: number;
  /** Where the page goes as well; null for the standard output alone. */
  readonly output: string | null;
  /** Whether the table of the README is written too. */
  readonly writesReadme: boolean;
  /** Where the processes measured leave V8 profiles; null for none. */
  readonly profile: string | null;
}

const FULL = { people: 10_000, runs: 1, rounds: 5, scale: 1, seconds: 3, warmUp: 8, importRows: 20_000, events: 1_000_000 };
const QUICK = { people: 1_000, runs: 1, rounds: 3, scale: 0.1, seconds: 0.7, warmUp: 2, importRows: 500, events: 30_000 };

export const USAGE = `npm run bench -- [--quick] [--only ${BENCHES.join(',')}] [--people N] [--runs N] [--rounds N] [--scale SHARE]
  [--seconds N] [--warm-up SECONDS] [--import-rows N] [--events N] [--output FILE] [--profile DIRECTORY]
A run of everything writes docs/benchmarks.md and the table in README.md; a quick or a partial one writes only a page where --output says.
`;

/** A mistake in the command line; the message is for the user. */
export class UsageError extends Error {}

/** Reads the command line. Throws {@link UsageError}. */
export function readOptions(commandLine: readonly string[], report: string): Options {
  const values = parse(commandLine);
  const standard = values.quick ? QUICK : FULL;
  const isWhole = !values.quick && values.only === undefined;
  const output = values.output ?? (isWhole ? report : null);
  return {
    only: values.only === undefined ? BENCHES : values.only.split(',').map(benchName),
    people: positive('people', values.people, standard.people),
    runs: positive('runs', values.runs, standard.runs),
    rounds: positive('rounds', values.rounds, standard.rounds),
    scale: positive('scale', values.scale, standard.scale),
    seconds: positive('seconds', values.seconds, standard.seconds),
    warmUp: positive('warm-up', values['warm-up'], standard.warmUp),
    importRows: positive('import-rows', values['import-rows'], standard.importRows),
    events: positive('events', values.events, standard.events),
    output,
    writesReadme: output === report,
    profile: values.profile ?? null,
  };
}

function parse(commandLine: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...commandLine],
      options: {
        quick: { type: 'boolean', default: false },
        only: text,
        people: text,
        runs: text,
        rounds: text,
        scale: text,
        seconds: text,
        'warm-up': text,
        'import-rows': text,
        events: text,
        output: text,
        profile: text,
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function benchName(text: string): BenchName {
  const name = BENCHES.find((candidate) => candidate === text);
  if (name === undefined) throw new UsageError(`--only takes ${BENCHES.join(', ')}, not "${text}"`);
  return name;
}

function positive(name: string, text: string | undefined, standard: number): number {
  if (text === undefined) return standard;
  const number = Number(text);
  if (!(number > 0)) throw new UsageError(`--${name} takes a number above 0, not "${text}"`);
  return number;
}
