import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The program as it is shipped, started as a process of its own. */
export interface Product {
  readonly pid: number;
  /** Of the API, without the prefix of its paths. */
  readonly url: string;
  /** The key of the demo organisation, where this start made one. */
  readonly demoKey: string | null;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** What is started, and where. */
export interface ProductSettings {
  readonly command: readonly string[];
  /** Where its log goes. */
  readonly directory: string;
  /** Beside the budgets and the ports. */
  readonly environment: Readonly<Record<string, string>>;
  readonly profile: string | null;
}

/** What the product's paths begin with; the bare server's have nothing in front. */
export const PREFIX = '/api/v1';
/** The built program. */
export const PROGRAM = join('dist', 'apps', 'cli', 'main.js');
const PLENTY = '100000000';
/** All that differs from the settings of `npm start`: budgets that no load uses up, and free ports. */
const ENVIRONMENT = {
  PORT: '0',
  SANDBOX_PORT: '0',
  OPS_PORT: '0',
  RATE_LIMIT_KEY: PLENTY,
  RATE_LIMIT_KEY_WRITES: PLENTY,
  RATE_LIMIT_ORGANISATION: PLENTY,
};
/** Settings of the shell that would change what is measured. */
const UNSET = /^(DATABASE_URL|EVENTSTORE_URL|REDIS_URL|LOG_LEVEL|NODE_ENV|NODE_OPTIONS|OTEL_|RATE_LIMIT_|WORKFORCE_)/;

/** Starts the program, and waits until it says where it listens. Its log is written to a file, at the level that is shipped. */
export async function startProduct({ command, directory, environment, profile }: ProductSettings): Promise<Product> {
  const logFile = join(directory, `${command[0]!}.log`);
  const log = openSync(logFile, 'a');
  const profiling = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = spawn(process.execPath, [...profiling, PROGRAM, ...command, '--json'], {
    env: { ...shippedEnvironment(), ...ENVIRONMENT, ...environment },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const { api, demo } = JSON.parse(await firstLine(child, logFile)) as { api: string; demo: { api_key: string } | null };
  return {
    pid: child.pid!,
    url: api.slice(0, -PREFIX.length),
    demoKey: demo?.api_key ?? null,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The environment of this process without what would configure the program. */
export function shippedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !UNSET.test(name)));
}

function firstLine(child: ChildProcess, logFile: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`the program ended (${signal ?? code}): ${readFileSync(logFile, 'utf8').slice(-2_000)}`)),
    );
  });
}
