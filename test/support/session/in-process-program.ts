import type { Command } from 'commander';
import { commandLine } from '#cli/command-line.js';
import { leavesOf } from '#cli/command-table.js';
import { eventStoreEnvironment } from '../event-store.js';

/** The output of a call of the program. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns the full names of the program's commands, such as `time-off approve`. */
export async function commandNames(): Promise<readonly string[]> {
  return leavesOf(await commandLine()).map(({ name }) => name);
}

/**
 * Runs the `workforce` program in this process, over a test's database: fast enough for hundreds of calls,
 * one at a time.
 */
export class InProcessProgram {
  private readonly before: Readonly<Record<string, string | undefined>>;

  /** `settings` are additional environment variables. */
  constructor(databaseUrl: string, settings: Readonly<Record<string, string>> = {}) {
    const requested = { DATABASE_URL: databaseUrl, ...eventStoreEnvironment(databaseUrl), ...settings };
    this.before = Object.fromEntries(Object.keys(requested).map((name) => [name, process.env[name]]));
    Object.assign(process.env, requested);
  }

  /**
   * Runs a command. Options are given by their flags without dashes: null is left out, true has no value, a
   * list repeats the flag.
   */
  run(name: string, positional: readonly string[], options: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    const flags = Object.entries(options).flatMap(([flag, value]) => {
      if (value === null || value === undefined) return [];
      return value === true ? [`--${flag}`] : [value].flat().flatMap((one) => [`--${flag}`, String(one)]);
    });
    return this.call([...name.split(' '), ...positional, ...flags]);
  }

  /** Restores the environment of the process. */
  stop(): void {
    for (const [name, value] of Object.entries(this.before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }

  /** Runs a command line, word by word. Throws a CommanderError where its parser would end the process. */
  async call(line: readonly string[]): Promise<Ran> {
    const printed = { stdout: '', stderr: '' };
    const spies = (['stdout', 'stderr'] as const).map((stream) =>
      jest.spyOn(process[stream], 'write').mockImplementation((chunk) => {
        printed[stream] += String(chunk);
        return true;
      }),
    );
    try {
      await throwing(await commandLine(line)).parseAsync(['node', 'workforce', ...line]);
      return { exitCode: Number(process.exitCode ?? 0), ...printed };
    } finally {
      for (const spy of spies) spy.mockRestore();
      // An exit code left by a command would become that of the test's own process.
      process.exitCode = 0;
    }
  }
}

/** Makes a command and its subcommands throw where they would end the process. */
function throwing(command: Command): Command {
  command.exitOverride();
  for (const one of command.commands) throwing(one);
  return command;
}
