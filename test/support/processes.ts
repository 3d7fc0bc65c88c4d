import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { eventStoreEnvironment } from './event-store.js';
import { freePort, freePorts } from './free-ports.js';

/** A process of the built program. */
export interface RunningProcess {
  readonly pid: number;
  /** Returns its output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code when it has ended; null where a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Sends a signal and waits for the end; returns the exit code, null where the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
  /**
   * Waits until the URL returns any answer, or one with the given status. Throws with the process's output
   * when it ends or takes too long.
   */
  untilAnswers(url: string, settings?: { status?: number; milliseconds?: number }): Promise<Response>;
  /** Waits until standard output matches, and returns the match. */
  untilPrinted(pattern: RegExp, milliseconds?: number): Promise<RegExpExecArray>;
}

const ROOT = resolve(__dirname, '..', '..');
const POLL_MILLISECONDS = 10;
const WAIT_MILLISECONDS = 600_000;
/** Ensures that a failing test or a killed run leaves no process behind. */
const DIE_WITH_PARENT = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : [];

/**
 * Starts `workforce …` as built in `dist`, without the configuration variables of the tests' own environment.
 */
export function startWorkforce(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): RunningProcess {
  const main = join(ROOT, 'dist', 'apps', 'cli', 'main.js');
  if (!existsSync(main)) throw new Error('the program is not built: run "npm run build" first');
  return startNode([main, ...parameters], environment);
}

/**
 * Starts a server and waits until `/health/ready` returns 200. Like a supervisor, it restarts a server that
 * ended because PostgreSQL accepted no connection in time on a busy machine.
 */
export async function startUntilReady(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<RunningProcess> {
  const operationsPort = environment['OPS_PORT'] ?? String(await freePort());
  for (;;) {
    const running = startWorkforce(parameters, { ...environment, OPS_PORT: operationsPort });
    try {
      await running.untilAnswers(`http://127.0.0.1:${operationsPort}/health/ready`, { status: 200 });
      return running;
    } catch (error) {
      await running.end('SIGKILL');
      if (!String(error).includes('connection timeout')) throw error;
    }
  }
}

/** Starts a Node.js process with the given script and parameters. */
export function startNode(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): RunningProcess {
  const { PATH, HOME, TMPDIR } = process.env;
  const [program, ...rest] = [...DIE_WITH_PARENT, process.execPath, ...parameters];
  const child = spawn(program!, rest, {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR, ...eventStoreEnvironment(environment['DATABASE_URL']), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return observe(child);
}

/** Runs a command to its end. */
export async function runWorkforce(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const running = startWorkforce(parameters, environment);
  const code = await running.exited;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** The ports of an installation that a test starts with `workforce start`. */
export interface InstallationPorts {
  readonly api: number;
  readonly sandbox: number;
  readonly operations: number;
}

/** Returns free ports for `workforce start`, and the settings that name them. */
export async function installationPorts(): Promise<InstallationPorts & { readonly settings: Record<string, string> }> {
  const [api, sandbox, operations] = (await freePorts(3)) as [number, number, number];
  const settings = { PORT: String(api), SANDBOX_PORT: String(sandbox), OPS_PORT: String(operations) };
  return { api, sandbox, operations, settings };
}

function observe(child: ChildProcess): RunningProcess {
  let stdout = '';
  let stderr = '';
  let ended = false;
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<number | null>((settle, reject) => {
    child.once('error', reject);
    // 'close' rather than 'exit': all output has then been read.
    child.once('close', (code) => {
      ended = true;
      settle(code);
    });
  });
  const until = async <T>(what: string, milliseconds: number, look: () => Promise<T | null>): Promise<T> => {
    const deadline = Date.now() + milliseconds;
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      const problem = ended ? 'ended before' : Date.now() > deadline ? `within ${milliseconds} ms did not` : null;
      if (problem !== null) throw new Error(`the process ${problem} ${what}\nstdout: ${stdout}\nstderr: ${stderr}`);
      await wait(POLL_MILLISECONDS);
    }
  };
  return {
    pid: child.pid ?? -1,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
    untilAnswers: (url, { status, milliseconds = WAIT_MILLISECONDS } = {}) =>
      until(`answer at ${url}`, milliseconds, async () => {
        const response = await answerOf(url);
        return response !== null && (status === undefined || response.status === status) ? response : null;
      }),
    untilPrinted: (pattern, milliseconds = WAIT_MILLISECONDS) =>
      until(`print ${pattern}`, milliseconds, () => Promise.resolve(pattern.exec(stdout))),
  };
}

/** Returns null while no process listens there. */
async function answerOf(url: string): Promise<Response | null> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(5_000) });
  } catch {
    return null;
  }
}
