import { commandLine } from '#cli/command-line.js';
import { eventStoreEnvironment } from '../event-store.js';

/** What a call of the program left. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The whole names of the program's commands, such as `time-off approve`. */
export function commandNames(): readonly string[] {
  const program = commandLine();
  const leaves = (command: typeof program, path: readonly string[]): readonly string[] =>
    command.commands.length === 0
      ? [path.join(' ')]
      : command.commands.flatMap((one) => leaves(one as typeof program, [...path, one.name()]));
  return leaves(program, []);
}

/** The `workforce` program in this process, over a database of a test: quick enough for hundreds of calls, one at a time. */
export class InProcessProgram {
  private readonly before: Readonly<Record<string, string | undefined>>;

  /** `settings` are environment variables besides. */
  constructor(databaseUrl: string, settings: Readonly<Record<string, string>> = {}) {
    const wanted = { DATABASE_URL: databaseUrl, ...eventStoreEnvironment(databaseUrl), ...settings };
    this.before = Object.fromEntries(Object.keys(wanted).map((name) => [name, process.env[name]]));
    Object.assign(process.env, wanted);
  }

  /** Runs a command; options by their flags without dashes, null ones left out, true ones without a value, lists repeated. */
  run(name: string, positional: readonly string[], options: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    const flags = Object.entries(options).flatMap(([flag, value]) => {
      if (value === null || value === undefined) return [];
      return value === true ? [`--${flag}`] : [value].flat().flatMap((one) => [`--${flag}`, String(one)]);
    });
    return this.call([...name.split(' '), ...positional, ...flags]);
  }

  /** Gives the process its environment back. */
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
      await throwing(commandLine()).parseAsync(['node', 'workforce', ...line]);
      return { exitCode: Number(process.exitCode ?? 0), ...printed };
    } finally {
      for (const spy of spies) spy.mockRestore();
      // What a command left there would be taken for the end of the test's own process.
      process.exitCode = 0;
    }
  }
}

/** The command, and all below it, throwing where they would end the process. */
function throwing<Command extends ReturnType<typeof commandLine>>(command: Command): Command {
  command.exitOverride();
  for (const one of command.commands) throwing(one as Command);
  return command;
}
