import { type Command } from 'commander';
import type { Json } from '#kernel/json.js';
import { exitCodeOf } from './exit-code.js';
import { explainError } from './explain-error.js';
import { endOnSignals } from './serve/stop-signal.js';

/** The result of a command. */
export interface Outcome {
  /** The document that `--json` prints. */
  readonly json: Json;
  /** The same for people, without a final line break; empty to print nothing. */
  readonly text: string;
  /** 0 for success, which is the default; 1 where a part of the request failed. */
  readonly exitCode?: number;
}

/** How a command was called. */
export interface Call {
  /** In the order of the command's declaration; an optional one that was left out is undefined. */
  readonly arguments: readonly (string | undefined)[];
  /** Options by their camel-case names, as commander has them; `json` among them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether standard output belongs to one JSON document. */
  readonly json: boolean;
}

/**
 * Adds `--json` and the action of a command. The action returns an outcome, or only its exit code where it
 * has printed its output itself. An error that it throws becomes one sentence on standard error and the exit
 * code of {@link exitCodeOf}. Import heavy modules inside `work`, so that `--help` and other commands do not
 * pay for them.
 */
export function action(command: Command, work: (call: Call) => Promise<Outcome | number>): Command {
  return command.option('--json', 'print one JSON document on standard output').action(async (...given: unknown[]) => {
    // commander: the declared arguments, then the options, then the command.
    const options = command.opts<Record<string, unknown>>();
    endOnSignals();
    const call = { arguments: given.slice(0, -2) as (string | undefined)[], options, json: options['json'] === true };
    try {
      answer(call, await work(call));
    } catch (error) {
      fail(call, error);
    }
  });
}

function answer(call: Call, outcome: Outcome | number): void {
  process.exitCode = typeof outcome === 'number' ? outcome : (outcome.exitCode ?? 0);
  if (typeof outcome === 'number') return;
  if (call.json) process.stdout.write(`${JSON.stringify(outcome.json)}\n`);
  else if (outcome.text !== '') process.stdout.write(`${outcome.text}\n`);
}

/** With `--json`, standard output is one JSON document even if the command fails. */
function fail(call: Call, error: unknown): void {
  const message = explainError(error);
  process.stderr.write(`${message}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  if (call.json) process.stdout.write(`${JSON.stringify({ error: { message } })}\n`);
  process.exitCode = exitCodeOf(error);
}
