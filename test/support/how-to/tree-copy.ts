import { spawn } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryDirectory } from '../test-server.js';

const POLL_MILLISECONDS = 50;
const ROOT = resolve(__dirname, '..', '..', '..');

/** The result of a command in the copy. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Both streams, in the order of writing. */
  readonly output: string;
}

/** A command that runs in the copy, and all its child processes. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** Waits until its output matches, and returns the match. Throws with all its output where it ends before. */
  untilPrinted(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to the command and to the child processes that are still in its process group. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/**
 * A copy of the working tree in a temporary directory: every file that Git tracks or would add, with the installed packages of
 * the original.
 */
export class TreeCopy {
  private readonly running = new Set<Running>();

  private constructor(
    /** The root of the copy. */
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** @param environment of the commands, in addition to PATH, HOME and TMPDIR */
  static async make(environment: NodeJS.ProcessEnv): Promise<TreeCopy> {
    const folder = join(await temporaryDirectory(), 'tree');
    const { PATH, HOME, TMPDIR } = process.env;
    const copy = new TreeCopy(folder, { PATH, HOME, TMPDIR, ...environment });
    const { stdout } = await run(ROOT, { PATH, HOME }, 'git ls-files -z --cached --others --exclude-standard').ended;
    for (const name of stdout.split('\0').filter((one) => one !== '' && existsSync(join(ROOT, one)))) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await copyFile(join(ROOT, name), join(folder, name));
    }
    // Hard links to files, where both directories are on one disk. With links to folders, tools would see the packages at another place;
    // npm's own links lead to the copy.
    const packages = join(ROOT, 'node_modules');
    const { exitCode, output } = await copy.run(`cp -al ${packages} . 2>/dev/null || cp -a ${packages} . && rm -rf node_modules/.cache`);
    if (exitCode !== 0) throw new Error(`the packages could not be copied: ${output}`);
    return copy;
  }

  read(path: string): Promise<string> {
    return readFile(this.placeOf(path), 'utf8');
  }

  /** Writes a file, and creates its folder where necessary. */
  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.placeOf(path)), { recursive: true });
    await writeFile(this.placeOf(path), text);
  }

  /** Starts a shell command in the copy's root. */
  start(line: string, environment: NodeJS.ProcessEnv = {}): Running {
    const running = run(this.folder, { ...this.environment, ...environment }, line);
    this.running.add(running);
    void running.ended.finally(() => this.running.delete(running));
    return running;
  }

  /** Runs a shell command to its end. */
  run(line: string, environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start(line, environment).ended;
  }

  /** Ends the running commands and deletes the copy. */
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
  // A separate process group, because npm and npx pass signals only to their direct child.
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
