import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a command printed, standard error included, and its exit code. */
export interface Printed {
  readonly text: string;
  readonly code: number;
}

const END = '\u001e';

/** A shell that types one command after another, as a reader does in one terminal. */
export class Shell {
  private readonly child: ChildProcessWithoutNullStreams;
  private output = '';
  private wake: () => void = () => undefined;
  private typed = 0;

  /** @param directory where the reader is; scratch files of the shell are in `scratch`. */
  constructor(
    directory: string,
    environment: NodeJS.ProcessEnv,
    private readonly scratch: string,
  ) {
    this.child = spawn('bash', ['--noprofile', '--norc'], { cwd: directory, env: environment, detached: true });
    const take = (chunk: Buffer): void => {
      this.output += chunk.toString();
      this.wake();
    };
    this.child.stdout.on('data', take);
    this.child.stderr.on('data', take);
    this.child.on('exit', () => this.wake());
  }

  /** Types a command and waits for its end. */
  async type(command: string): Promise<Printed> {
    await this.begin(command);
    const pattern = new RegExp(`^([^]*?)${END}(\\d+)${END}\\n`);
    await this.until(() => pattern.test(this.output));
    const [whole, text, code] = pattern.exec(this.output)!;
    this.output = this.output.slice(whole.length);
    return { text: text!, code: Number(code) };
  }

  /** Types a command that goes on, and returns once it has printed something. */
  async start(command: string): Promise<void> {
    await this.begin(command);
    await this.until(() => this.output.includes('\n'));
  }

  /** Waits until what the started command has printed fits; returns all that it printed. */
  async printedUntil(fits: (text: string) => boolean): Promise<string> {
    await this.until(() => fits(this.output));
    return this.output;
  }

  /** What was printed since the last command ended. */
  get printed(): string {
    return this.output;
  }

  /** Ends the shell and all that it started. */
  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    process.kill(-this.child.pid!, 'SIGTERM');
    const forced = setTimeout(() => process.kill(-this.child.pid!, 'SIGKILL'), 10_000);
    await ended;
    clearTimeout(forced);
  }

  /** From a file, so that the command cannot read the commands that follow as its input. */
  private async begin(command: string): Promise<void> {
    const file = join(this.scratch, `typed-${process.pid}-${this.child.pid}-${(this.typed += 1)}.sh`);
    await writeFile(file, `${command}\n`);
    this.child.stdin.write(`. ${file} </dev/null 2>&1; printf '${END}%d${END}\\n' $?\n`);
  }

  private async until(condition: () => boolean): Promise<void> {
    const end = Date.now() + MAX_COMMAND_MILLISECONDS;
    while (!condition()) {
      if (this.child.exitCode !== null || Date.now() > end)
        throw new Error(`the shell did not come to an end; it printed: ${this.output}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

const MAX_COMMAND_MILLISECONDS = 600_000;
