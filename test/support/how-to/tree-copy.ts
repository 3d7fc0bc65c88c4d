import { spawn } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryDirectory } from '../test-server.js';

const POLL_MILLISECONDS = 50;
const ROOT = resolve(__dirname, '..', '..', '..');

/** How a command in the copy ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Both streams, in the order in which they were written. */
  readonly output: string;
}

/** A command that runs in the copy, and everything that it starts. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** Waits until what it wrote matches; the match. Throws with all that it wrote where it ends before. */
  untilPrinted(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to the command and all that it started, which have not left its process group. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** A copy of the working tree in a temporary directory: every file that Git knows or would take, with the installed packages of the original. */
export class TreeCopy {
  private readonly running = new Set<Running>();

  private constructor(
    /** The root of the copy. */
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** @param environment of the commands, beside PATH, HOME and TMPDIR */
  static async make(environment: NodeJS.ProcessEnv): Promise<TreeCopy> {
    const folder = join(await temporaryDirectory(), 'tree');
    const { PATH, HOME, TMPDIR } = process.env;
    const copy = new TreeCopy(folder, { PATH, HOME, TMPDIR, ...environment });
    const { stdout } = await run(ROOT, { PATH, HOME }, 'git ls-files -z --cached --others --exclude-standard').ended;
    for (const name of stdout.split('\0').filter((one) => one !== '' && existsSync(join(ROOT, one)))) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await copyFile(join(ROOT, name), join(folder, name));
    }
    // Links of files, where both are on one disk. Links to folders would show tools the packages at another place; npm's own lead to the copy.
    const packages = join(ROOT, 'node_modules');
    const { exitCode, output } = await copy.run(`cp -al ${packages} . 2>/dev/null || cp -a ${packages} . && rm -rf node_modules/.cache`);
    if (exitCode !== 0) throw new Error(`the packages could not be copied: ${output}`);
    return copy;
  }

  read(path: string): Promise<string> {
    return readFile(this.placeOf(path), 'utf8');
  }

  /** Writes a file, in a folder that need not exist. */
  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.placeOf(path)), { recursive: true });
    await writeFile(this.placeOf(path), text);
  }

  /** Starts a line of shell in the copy's root. */
  start(line: string, environment: NodeJS.ProcessEnv = {}): Running {
    const running = run(this.folder, { ...this.environment, ...environment }, line);
    this.running.add(running);
    void running.ended.finally(() => this.running.delete(running));
    return running;
  }

  /** Runs a line of shell to its end. */
  run(line: string, environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start(line, environment).ended;
  }

  /** Ends what still runs, and deletes everything. */
  async remove(): Promise<void> {
    const left = [...this.running];
    for (const running of left) running.signal('SIGKILL');
    await Promise.all(left.map(({ ended }) => ended));
    await rm(dirname(this.folder), { recursive: true, force: true, maxRetries: 10 });
  }

  private placeOf(path: string): string {
    const place = resolve(this.folder, path);
    if (!place.startsWith(this.folder + sep)) throw new Error(`${path} is outside the copy`);
    return place;
  }
}

function run(folder: string, environment: NodeJS.ProcessEnv, line: string): Running {
  // A process group of its own: npm and npx pass signals on to nobody but their own child.
  const child = spawn('bash', ['-c', line], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let [stdout, output] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => ((stdout += chunk.toString()), (output += chunk.toString())));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<Ended>((settle, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => settle({ exitCode, stdout, output }));
  });
  return {
    ended,
    untilPrinted: async (pattern) => {
      for (;;) {
        const found = pattern.exec(output);
        if (found !== null) return found;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`"${line}" ended before it printed ${pattern}:\n${output}`);
        await wait(POLL_MILLISECONDS);
      }
    },
    signal: (signal) => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
    },
  };
}
