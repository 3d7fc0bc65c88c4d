import { type ChildProcess, fork } from 'node:child_process';
import { dirname, join } from 'node:path';

/** What is measured runs in processes of its own, beside this one's compiled file. */
export type ChildName =
  | 'bare-server'
  | 'load-generator'
  | 'appender'
  | 'rebuilder'
  | 'receiver'
  | 'webhook-worker'
  | 'feeder'
  | 'bare-sender'
  | 'paced-writer'
  | 'bulk-worker'
  | 'event-store-server';

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: string;
}

/** A process that answers requests one by one. */
export class Child {
  private readonly waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  private count = 0;

  private constructor(
    private readonly name: ChildName,
    private readonly process: ChildProcess,
  ) {
    process.on('message', (reply: Reply) => this.receive(reply));
    process.once('exit', (code, signal) => this.lose(`${name} ended (${signal ?? code})`));
    process.once('error', (error) => this.lose(`${name}: ${error.message}`));
  }

  /** Starts a process; with a directory for profiles, it writes one of its whole life when it ends. */
  static start(name: ChildName, profile: string | null = null): Child {
    const directory = dirname(process.argv[1]!);
    const execArgv =
      profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}-${Date.now()}.cpuprofile`];
    return new Child(name, fork(join(directory, 'children', `${name}.js`), { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
  }

  /** The id of the process. */
  get pid(): number {
    return this.process.pid!;
  }

  /** Asks for one piece of work. Rejects with what the process failed with. */
  ask<Result>(request: string, values: object = {}): Promise<Result> {
    const id = (this.count += 1);
    return new Promise<Result>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.process.send({ id, request, values });
    });
  }

  /** Lets the process finish what it does and end. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.disconnect();
    await ended;
  }

  private receive({ id, result, failure }: Reply): void {
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    if (failure === undefined) asked?.resolve(result);
    else asked?.reject(new Error(`${this.name}: ${failure}`));
  }

  private lose(reason: string): void {
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
  }
}
