import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installationPorts, type RunningProcess, startWorkforce } from '../support/processes.js';
import { type Block, blocksOf, commandsOf, isTyped, type TypedCommand } from './page.js';
import { Meanings } from './printed.js';
import { Shell } from './shell.js';

/** What `from=` names for what the start of the service printed. */
const START = 'start';
const PROJECT = new URL('../../', import.meta.url).pathname;

/** A command of a page that did not print what the page shows. */
interface Difference {
  readonly place: string;
  readonly command: string;
  readonly shown: string;
  readonly printed: string;
}

/** A service that was started for the first time, whose reader follows pages one after another. */
export class Tour {
  /** What the start printed. */
  private readonly started: string;
  private readonly keys: readonly (readonly [string, string])[];

  private constructor(
    private readonly directory: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly server: RunningProcess,
    private readonly ports: readonly number[],
  ) {
    this.started = server.stdout();
    const keyOf = (kind: string): string => new RegExp(`svc_${kind}_[0-9A-Za-z]+`).exec(this.started)![0];
    this.keys = ['live', 'test'].map((kind) => [`svc_${kind}_…`, keyOf(kind)] as const);
  }

  /** Starts the service on a fresh data directory, with demo data. */
  static async begin(settings: NodeJS.ProcessEnv): Promise<Tour> {
    const directory = await mkdtemp(join(tmpdir(), 'workforce-tour-'));
    // A copy of the project as far as commands see it, so that what they write stays out of the project.
    for (const entry of await readdir(PROJECT)) {
      if (!entry.startsWith('.')) await symlink(join(PROJECT, entry), join(directory, entry));
    }
    // In a terminal curl shows no progress.
    await writeFile(join(directory, '.curlrc'), 'silent\nshow-error\n');
    const ports = await installationPorts();
    const environment = {
      WORKFORCE_DATA_DIR: join(directory, '.workforce'),
      ...ports.settings,
      LOG_LEVEL: 'warn',
      CURL_HOME: directory,
      // Npm warns about settings of the machine's own.
      npm_config_loglevel: 'error',
      ...settings,
    };
    const server = startWorkforce(['start'], environment);
    await server.untilPrinted(/Press Ctrl-C/);
    return new Tour(directory, environment, server, [ports.api, ports.sandbox, ports.operations]);
  }

  /** What the pages' examples stand for at the beginning of a page. */
  private meanings(): Meanings {
    const meanings = new Meanings();
    for (const [shown, meaning] of this.keys) meanings.set(shown, meaning);
    for (const [index, port] of this.ports.entries()) meanings.set(`127.0.0.1:${3_000 + index}`, `127.0.0.1:${port}`);
    // The day of the comparison that the start prints depends on the day of the start.
    meanings.set('2026-09-16', /Her job on (\S+),/.exec(this.started)![1]!);
    return meanings;
  }

  /** Types all of a page but the blocks that begin with a text of `leftOut`; returns the differences. */
  async follow(page: string, leftOut: readonly string[]): Promise<readonly Difference[]> {
    const text = await readFile(join(PROJECT, page), 'utf8');
    const meanings = this.meanings();
    const shell = this.shell();
    const background = new Map<string, Shell>();
    const differences: Difference[] = [];
    try {
      for (const block of blocksOf(text)) {
        if (leftOut.some((beginning) => block.text.startsWith(beginning))) continue;
        const place = `${page}:${block.line}`;
        if (block.file !== null) {
          await writeFile(join(this.directory, block.file), `${block.text}\n`);
        } else if (block.from === START) {
          if (!meanings.agrees(block.text, this.started))
            differences.push({ place, command: '(start)', shown: block.text, printed: this.started });
        } else if (block.background !== null) {
          const started = this.shell();
          background.set(block.background, started);
          await startBackground(started, block, meanings);
        } else if (block.from !== null) {
          const printed = await awaitPrinted(background.get(block.from)!, block.text, meanings);
          if (printed !== null) differences.push({ place, command: `(${block.from})`, shown: block.text, printed });
        } else if (isTyped(block)) {
          for (const command of commandsOf(block)) {
            const difference = await typeOne(shell, command, meanings);
            if (difference !== null) differences.push({ place: `${page}:${command.line}`, ...difference });
          }
        }
      }
      return differences;
    } finally {
      await Promise.all([shell, ...background.values()].map((one) => one.end()));
    }
  }

  /** Stops the service and removes its data. */
  async end(): Promise<void> {
    await this.server.end('SIGTERM');
    await rm(this.directory, { recursive: true, force: true });
  }

  private shell(): Shell {
    // As "first requests" sets them; pages that do not set them again refer to it.
    const variables = { KEY: this.keys[0]![1], API: `http://127.0.0.1:${this.ports[0]}/api/v1` };
    return new Shell(
      this.directory,
      { ...process.env, ...this.environment, ...variables, NO_COLOR: '1' },
      this.directory,
    );
  }
}

async function startBackground(shell: Shell, block: Block, meanings: Meanings): Promise<void> {
  const commands = commandsOf(block);
  for (const { text } of commands.slice(0, -1)) await shell.type(meanings.typed(text));
  const { text, printed } = commands.at(-1)!;
  await shell.start(meanings.typed(text));
  if (printed !== null) await shell.printedUntil((sofar) => meanings.agrees(printed, sofar));
}

async function typeOne(
  shell: Shell,
  { text, printed: shown }: TypedCommand,
  meanings: Meanings,
): Promise<Omit<Difference, 'place'> | null> {
  const command = meanings.typed(text);
  const { text: printed, code } = await shell.type(command);
  if (shown === null) return code === 0 ? null : { command, shown: '(an exit code of 0)', printed };
  return meanings.agrees(shown, printed) ? null : { command, shown, printed };
}

/**
 * Null where a background command has printed, among other things, what the page shows; otherwise all that it
 * printed.
 */
async function awaitPrinted(shell: Shell, shown: string, meanings: Meanings): Promise<string | null> {
  try {
    await shell.printedUntil((sofar) => meanings.agrees(`…\n${shown}\n…`, `\n${sofar}\n\n`));
    return null;
  } catch {
    return shell.printed;
  }
}
