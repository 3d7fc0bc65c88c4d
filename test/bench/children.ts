import { type ChildProcess, fork } from 'node:child_process';
import { dirname, join } from 'node:path';

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: string;
}

/** A process of the benchmark's own that answers requests; see `children/answer.ts`. */
export class Child {
  private readonly waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  private count = 0;

  private constructor(private readonly process: ChildProcess) {
    process.on('message', ({ id, result, failure }: Reply) => {
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      if (failure === undefined) asked?.resolve(result);
      else asked?.reject(new Error(failure));
    });
    process.once('exit', (code, signal) => {
      for (const { reject } of this.waiting.values())
        reject(new Error(`${process.spawnfile} ended (${signal ?? code})`));
    });
  }

  /** Starts `children/NAME.js` beside this one's compiled file. */
  static start(name: string): Child {
    const file = join(dirname(process.argv[1]!), 'children', `${name}.js`);
    return new Child(fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
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

  /** Lets the process end. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.disconnect();
    await ended;
  }
}
