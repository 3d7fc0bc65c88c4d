import type { Type } from '@nestjs/common';
import type { CommandContext } from '#commands/command-context.js';
import { DecidedError } from '#commands/dry-run.js';
import { AnsweredError, type GivenAnswer } from '#commands/receipts/receipts.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { Answer, Call } from '../call.js';
import { errorBody, toHttpError } from '../errors.js';
import { assertValid, type Checked, type TextValues } from '../fields/check.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { compiledOf, type CompiledOperation, envelopeOf } from '../operation.js';
import type { Route } from '../operations/route-table.js';
import { keepRefusal } from './error-filter.js';
import { deniedBy, denialOf } from './guards.js';
import type { Sights } from '../sight.js';
import { openSight } from './people-check.js';
import { seedOf, type WriteAnswer, type WriteOpening } from './writes.js';

/** The input of an operation that runs within another request. */
interface Input {
  readonly requestId: string;
  readonly key: AuthenticatedKey;
  readonly address: () => string;
  /** The values of its path parameters, as text. */
  readonly parameters: TextValues;
}

/** The input of a read. */
export interface ReadInput extends Input {
  /** The values of its query, as text. */
  readonly query: TextValues;
}

/** The input of a write. */
export interface WriteInput extends Input {
  /** Undefined for an operation without a body. */
  readonly body: Json | undefined;
  /** The tags of `If-Match`; null without it. */
  readonly ifMatch: readonly string[] | null;
  /** The ids of created resources derive from it, in a dry run as well. */
  readonly idempotencyKey: string;
}

export type { GivenAnswer };

/** The response of an operation. */
export type InvokedAnswer = Pick<GivenAnswer, 'body' | 'entityTag'>;

/**
 * Runs operations within other requests, such as calls of tools, with the same permissions, checks,
 * controller and serialiser as their route. The response has the same bytes. The outer request is already
 * authenticated and counted.
 */
export class OperationInvoker {
  constructor(
    private readonly parts: {
      /** Returns the instance of a controller. */
      readonly controllerOf: (controller: Type) => object;
      readonly opening: WriteOpening;
      readonly sights: Sights;
      /** Called with the reason if the receipt of a refusal could not be stored. */
      readonly onLostReceipt: (error: unknown) => void;
    },
  ) {}

  /**
   * Runs a read and returns its response. Throws errors that the pipeline maps to responses, see
   * `toHttpError`.
   */
  async read(route: Route, input: ReadInput): Promise<InvokedAnswer> {
    const { operation } = route;
    // The outer request was counted only in the budgets of a read.
    if (operation.write !== undefined || operation.rateLimit !== undefined)
      throw new Error(`${operation.operationId} is not a plain read`);
    assertAllowed(route, input.key);
    const compiled = compiledOf(operation);
    const parameters = compiled.checkParameters(input.parameters);
    const query = compiled.checkQuery(input.query);
    assertValid(query, parameters);
    const answer = await this.run(route, await this.callOf(route, input, { parameters, query }));
    return { body: compiled.serialise!(envelopeOf(answer)), entityTag: answer.entityTag ?? null };
  }

  /**
   * Decides a write against the current state without recording it. Returns the first events that it would
   * record; null if there are none. Throws errors that the pipeline maps to responses: every reason to refuse
   * the write now.
   */
  async decided(route: Route, input: WriteInput): Promise<DecidedError['append'] | null> {
    const { compiled, parameters, body } = checkedWrite(route, input);
    const command: CommandContext = {
      ...this.parts.opening.contextOf(input.key, input.requestId),
      idempotencyKey: input.idempotencyKey,
      fingerprint: null,
      seed: seedOf(input.key, input.idempotencyKey),
      isDryRun: true,
    };
    const query = compiled.checkQuery({});
    try {
      await this.run(route, await this.callOf(route, input, { parameters, query, body, command }));
      return null;
    } catch (error) {
      if (error instanceof DecidedError) return error.append;
      throw error;
    }
  }

  /**
   * Runs a write once per idempotency key, like a request with that header. Returns its response, or a
   * refusal that an earlier attempt stored. Throws errors that the pipeline maps to responses; a refusal by
   * the domain is then stored under the key.
   */
  async write(route: Route, input: WriteInput, approval?: CommandContext['approval']): Promise<GivenAnswer> {
    const checked = checkedWrite(route, input);
    const query = checked.compiled.checkQuery({});
    assertValid(query);
    let write: WriteAnswer | null = null;
    try {
      const call = await this.callOf(route, input, { ...checked, query });
      const opened = await this.open(input, checked);
      write = opened.write;
      const command = approval === undefined ? opened.command : { ...opened.command, approval };
      const answer = await this.run(route, { ...call, command });
      if (write.returned === null) await write.keep(answer);
      return write.returned!;
    } catch (cause) {
      if (cause instanceof AnsweredError) return cause.stored;
      if (write === null) throw cause;
      const error = toHttpError(cause, input.ifMatch !== null);
      const earlier = await keepRefusal(write, error, errorBody(error, input.requestId), this.parts.onLostReceipt);
      if (earlier !== null) return earlier;
      throw cause;
    }
  }

  /**
   * Returns the response that an earlier attempt stored under the idempotency key; null if there is none.
   * Throws as {@link write} does if the key belongs to another write.
   */
  async earlier(route: Route, input: WriteInput): Promise<GivenAnswer | null> {
    try {
      await this.open(input, checkedWrite(route, input));
      return null;
    } catch (cause) {
      if (cause instanceof AnsweredError) return cause.stored;
      throw cause;
    }
  }

  private open(
    { key, requestId, idempotencyKey, ...input }: WriteInput,
    { compiled }: CheckedWrite,
  ): ReturnType<WriteOpening['open']> {
    const sent = { parameters: { ...(input.parameters as JsonObject) }, body: input.body ?? null };
    return this.parts.opening.open({ compiled, key, requestId, idempotencyKey, sent, seal: null });
  }

  /** The checked call of an operation, see `openSight`. */
  private async callOf(
    { operation }: Route,
    { requestId, key, address, ifMatch = null }: Input & { readonly ifMatch?: readonly string[] | null },
    checked: {
      readonly parameters: Checked;
      readonly query: Checked;
      readonly body?: Checked;
      readonly command?: CommandContext;
    },
  ): Promise<Call<unknown, unknown, unknown>> {
    const [parameters, query, body] = [checked.parameters.value, checked.query.value, checked.body?.value];
    const { command = null } = checked;
    const sight = await openSight(this.parts.sights, key, operation, { parameters, query, body });
    return { requestId, key, sight, address, body, query, parameters, ifMatch, command };
  }

  private async run({ controller, handler }: Route, call: Call<unknown, unknown, unknown>): Promise<Answer> {
    const instance = this.parts.controllerOf(controller) as Record<string, (call: unknown) => Promise<Answer> | Answer>;
    return instance[handler]!(call);
  }
}

/**
 * Whether a write can run without a request of its own. A sealed write cannot: a request header seals its
 * receipt.
 */
export function canBeInvoked({ operation }: Route): boolean {
  return operation.rateLimit === undefined && operation.write?.receipt !== 'sealed';
}

function assertAllowed({ operation }: Route, key: AuthenticatedKey): void {
  const obstacle = denialOf(operation, key);
  if (obstacle !== null) throw deniedBy(obstacle, operation, key);
}

interface CheckedWrite {
  readonly compiled: CompiledOperation;
  readonly parameters: Checked;
  readonly body: Checked;
}

function checkedWrite(route: Route, input: WriteInput): CheckedWrite {
  const { operation } = route;
  if (operation.write === undefined || !canBeInvoked(route))
    throw new Error(`${operation.operationId} is not a write that can be invoked`);
  assertAllowed(route, input.key);
  const compiled = compiledOf(operation);
  const parameters = compiled.checkParameters(input.parameters);
  const body = compiled.checkBody(input.body);
  assertValid(parameters, body);
  return { compiled, parameters, body };
}
