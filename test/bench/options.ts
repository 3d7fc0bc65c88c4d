import { parseArgs } from 'node:util';

/** Every measurement, by the name that `--only` takes. */
export const BENCHES = ['read', 'list', 'patch', 'time-off', 'append', 'import', 'rebuild', 'webhooks'] as const;

export type BenchName = (typeof BENCHES)[number];

/** What a run measures, and how long. */
export interface Options {
  readonly only: readonly BenchName[];
  /** People of the organisation that is read and written, each with two years of time off where that is measured. */
  readonly people: number;
  /** Rounds of A, B; a median is taken over them. */
  readonly rounds: number;
  /** Seconds of one side in one round. */
  readonly seconds: number;
  /** Seconds of load on each side before the first round: V8 optimises what ran some thousand times. */
  readonly warmUp: number;
  /** Keep-alive connections of the load generator for reads. */
  readonly connections: number;
  /** Lines of the imported file. */
  readonly importRows: number;
  /** Events of the rebuilt history. */
  readonly events: number;
  readonly logLevel: string;
  /** Where the table goes as well; null for the standard output alone. */
  readonly output: string | null;
  /** Where the processes measured leave V8 profiles; null for none. */
  readonly profile: string | null;
}

const FULL = { people: 10_000, rounds: 7, seconds: 3, warmUp: 12, importRows: 20_000, events: 1_000_000 };
const QUICK = { people: 1_000, rounds: 3, seconds: 0.7, warmUp: 2, importRows: 500, events: 30_000 };

export const USAGE = `npm run bench -- [--quick] [--only ${BENCHES.join(',')}] [--people N] [--rounds N] [--seconds N]
  [--warm-up SECONDS] [--connections N] [--import-rows N] [--events N] [--log-level LEVEL] [--output FILE] [--profile DIRECTORY]
A whole run writes docs/benchmarks.md; a quick or a partial one writes only where --output says.
`;

/** Reads the command line. Throws an Error whose message is for the user. */
export function readOptions(commandLine: readonly string[], report: string): Options {
  const { values } = parseArgs({
    args: [...commandLine],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      people: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
      connections: { type: 'string' },
      'import-rows': { type: 'string' },
      events: { type: 'string' },
      'log-level': { type: 'string' },
      output: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const standard = values.quick ? QUICK : FULL;
  const isWhole = !values.quick && values.only === undefined;
  return {
    only: values.only === undefined ? BENCHES : values.only.split(',').map(benchName),
    people: positive('people', values.people, standard.people),
    rounds: positive('rounds', values.rounds, standard.rounds),
    seconds: positive('seconds', values.seconds, standard.seconds),
    warmUp: positive('warm-up', values['warm-up'], standard.warmUp),
    connections: positive('connections', values.connections, 16),
    importRows: positive('import-rows', values['import-rows'], standard.importRows),
    events: positive('events', values.events, standard.events),
    logLevel: values['log-level'] ?? 'warn',
    output: values.output ?? (isWhole ? report : null),
    profile: values.profile ?? null,
  };
}

function benchName(text: string): BenchName {
  const name = BENCHES.find((candidate) => candidate === text);
  if (name === undefined) throw new Error(`--only takes ${BENCHES.join(', ')}, not "${text}"`);
  return name;
}

function positive(name: string, text: string | undefined, standard: number): number {
  if (text === undefined) return standard;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0, not "${text}"`);
  return number;
}
