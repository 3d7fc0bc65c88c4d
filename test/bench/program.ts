import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A server in a process of its own. */
export interface Server {
  readonly pid: number;
  /** Without a slash at its end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** What the product's paths begin with. */
export const PREFIX = '/api/v1';
/** The built program. */
const PROGRAM = join('dist', 'apps', 'cli', 'main.js');
/**
 * All that differs from the settings of `npm start`: budgets that no load uses up, free ports, and receivers
 * of webhooks on this machine.
 */
const SETTINGS = {
  PORT: '0',
  SANDBOX_PORT: '0',
  OPS_PORT: '0',
  RATE_LIMIT_KEY: '100000000',
  RATE_LIMIT_KEY_WRITES: '100000000',
  RATE_LIMIT_ORGANISATION: '100000000',
  WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
};
/** Settings of the shell that would change what is measured. */
const UNSET = /^(DATABASE_URL|DB_|EVENTSTORE_URL|REDIS|LOG_|NODE_ENV|NODE_OPTIONS|OTEL_|RATE_LIMIT|WORKFORCE_)/;
const MAX_OUTPUT = 64 * 1_024 * 1_024;

/** The environment of this process without what would configure a program that is measured. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !UNSET.test(name)));
}

/** Runs a command of the product to its end and gives what it prints as JSON. Rejects where it fails. */
export async function workforce<Result>(databaseUrl: string, ...words: readonly string[]): Promise<Result> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...words, '--json'], {
    env: { ...cleanEnvironment(), DATABASE_URL: databaseUrl },
    maxBuffer: MAX_OUTPUT,
  });
  return JSON.parse(stdout) as Result;
}

/**
 * Starts the product, and waits until it says where it listens. Its log goes to a file, at the level that is
 * shipped.
 */
export async function startProduct(
  directory: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Server & { readonly demoKey: string | null }> {
  const logFile = join(directory, 'product.log');
  const child = startNode([PROGRAM, 'start', ...words, '--json'], logFile, {
    env: { ...cleanEnvironment(), ...SETTINGS, ...environment },
  });
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  while (!text.includes('\n')) {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the program ended (${String(code)}): ${readFileSync(logFile, 'utf8').slice(-2_000)}`);
    });
    await Promise.race([once(child.stdout!, 'data'), ended]);
  }
  const { api, demo } = JSON.parse(text) as { api: string; demo: { api_key: string } | null };
  return {
    pid: child.pid!,
    url: api.slice(0, -PREFIX.length),
    demoKey: demo?.api_key ?? null,
    stop: () => stopProcess(child),
  };
}

/** Starts a script of Node.js; what it logs goes to a file. */
export function startNode(
  words: readonly string[],
  logFile: string,
  settings: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...words], { ...settings, stdio: ['ignore', 'pipe', log] });
  closeSync(log);
  return child;
}

/** Ends a process in order. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
