import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { receiver } from '../../../docs/examples/verify-webhook.js';

/** A running receiver from the documentation. */
export interface RunningVerifier {
  readonly port: number;
  /** Events handled so far, as JSON texts. */
  readonly handled: readonly string[];
  end(): Promise<void>;
}

export const EXAMPLES = resolve(__dirname, '../../../docs/examples');
/** Ensures that a failing test leaves no process behind. */
const DIE_WITH_PARENT = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : [];
const PROGRAMS = {
  Python: ['python3', `${EXAMPLES}/verify-webhook.py`, '0'],
  Go: ['go', 'run', `${EXAMPLES}/verify-webhook.go`, '0'],
  'C#': ['dotnet', 'run', `${EXAMPLES}/verify-webhook.cs`, '0'],
} as const;

export type Language = 'TypeScript' | keyof typeof PROGRAMS;

/** The languages of the documentation that this machine can run. */
export const LANGUAGES: readonly Language[] = [
  'TypeScript',
  ...(isOnPath('python3', '--version') ? (['Python'] as const) : []),
  ...(isOnPath('go', 'version') ? (['Go'] as const) : []),
  ...(hasDotNet10() ? (['C#'] as const) : []),
];

/** Starts the receiver of this language with this secret. */
export async function startVerifier(language: Language, secret: string): Promise<RunningVerifier> {
  return language === 'TypeScript' ? startHere(secret) : startProgram(PROGRAMS[language], secret);
}

async function startHere(secret: string): Promise<RunningVerifier> {
  const handled: string[] = [];
  const server = receiver(secret, (event) => handled.push(JSON.stringify(event))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    handled,
    end: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function startProgram(command: readonly string[], secret: string): Promise<RunningVerifier> {
  const [program, ...parameters] = [...DIE_WITH_PARENT, ...command];
  const child = spawn(program!, parameters, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  child.stdin.end(`${secret}\n`);
  const handled: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const [greeting] = (await once(lines, 'line')) as [string];
  lines.on('line', (line) => handled.push(line));
  return { port: Number(/^listening on port (\d+)$/.exec(greeting)![1]), handled, end: () => endGroup(child) };
}

/** `go run` and `dotnet run` start the program as a child process. */
async function endGroup(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  process.kill(-child.pid!, 'SIGKILL');
  await exited;
}

/** Older versions of `dotnet run` take projects only. */
function hasDotNet10(): boolean {
  const { status, stdout } = spawnSync('dotnet', ['--version'], { encoding: 'utf8' });
  return status === 0 && Number(stdout.split('.')[0]) >= 10;
}

function isOnPath(program: string, question: string): boolean {
  return spawnSync(program, [question]).status === 0;
}
