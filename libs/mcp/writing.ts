import { randomUUID } from 'node:crypto';
import { type ErrorCode, HttpError, toHttpError } from '#http/errors.js';
import type { Route } from '#http/operations/route-table.js';
import type { GivenAnswer, OperationInvoker, WriteInput } from '#http/pipeline/operation-invoker.js';
import type { WriteToPropose, WriteProposer } from './proposal/write-proposer.js';
import type { Issue } from '#kernel/rejection.js';
import type { Caller } from './caller.js';
import type { Catalogue, OperationTool } from './catalogue.js';
import { isProposed } from './disposition.js';
import { isGiven, placed, type Reading } from './reading.js';
import { IDEMPOTENCY_ARGUMENT } from './schemas.js';

type Values = Readonly<Record<string, unknown>>;

const MAX_KEY_LENGTH = 255;

/** The response of a writing tool. */
export interface Written {
  /** The body of the REST response. */
  readonly body: string;
  /** Whether the body is a proposal, and not the response of the operation itself. */
  readonly isProposal: boolean;
}

/**
 * Runs the tools that write: most propose, and a person decides, unless the organisation allows their
 * operation to run directly.
 */
export class Writing {
  constructor(
    private readonly parts: {
      readonly catalogue: Catalogue;
      readonly reading: Reading;
      readonly invoker: OperationInvoker;
      readonly proposer: WriteProposer;
    },
  ) {}

  /**
   * Runs a tool once for its idempotency key, independent of later changes of the organisation's policy.
   * Throws as a read does.
   */
  async run(
    tool: OperationTool,
    caller: Caller,
    { [IDEMPOTENCY_ARGUMENT]: given, ...values }: Values,
  ): Promise<Written> {
    const { catalogue, invoker, proposer } = this.parts;
    const { route, proposal } = tool;
    const { operation } = route;
    catalogue.assertAvailable(operation, caller.key);
    const idempotencyKey = idempotencyKeyOf(given);
    const { parameters, body } = placed(tool.given, values);
    const write = { ...caller, parameters, body: operation.body === undefined ? undefined : body, idempotencyKey };
    await caller.onWrite();
    caller.onInvoke(operation.operationId);
    if (proposal === null) return this.writeAtOnce(route, write);
    const requested = { ...write, route, proposal, reads: catalogue.readsOf(operation) };
    const isRepeat = isGiven(given);
    if (isProposed(operation, caller.key)) {
      const written = isRepeat ? await invoker.earlier(route, { ...write, ifMatch: null }) : null;
      return written === null ? this.propose(requested, caller) : answerOf(written);
    }
    if (isRepeat && (await proposer.isProposed(requested))) return this.propose(requested, caller);
    return this.writeAtOnce(route, write);
  }

  private async propose(requested: WriteToPropose, caller: Caller): Promise<Written> {
    const { catalogue, reading, proposer } = this.parts;
    const id = await proposer.propose(requested);
    const body = await reading.read(catalogue.routeOf('getWriteProposal'), caller, { write_proposal_id: id });
    return { body, isProposal: true };
  }

  /** Writes against the current state of the resource: after a concurrent change, nothing is written. */
  private async writeAtOnce(route: Route, write: Omit<WriteInput, 'ifMatch'>): Promise<Written> {
    const { catalogue, invoker } = this.parts;
    const reads = catalogue.readsOf(route.operation);
    const tag = reads === null ? null : (await invoker.read(reads, { ...write, query: {} })).entityTag;
    try {
      return answerOf(await invoker.write(route, { ...write, ifMatch: tag === null ? null : [tag] }));
    } catch (cause) {
      throw toHttpError(cause, tag !== null);
    }
  }
}

/**
 * The response of a write, or the stored response of its first attempt. Throws a stored refusal as the first
 * attempt did.
 */
function answerOf({ status, body }: GivenAnswer): Written {
  if (status < 400) return { body, isProposal: false };
  const { error } = JSON.parse(body) as {
    readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: readonly Issue[] };
  };
  throw new HttpError(error.code, { status, message: error.message, details: error.details ?? [] });
}

/**
 * Explains how a person decides about a proposal. It is constant except for the id, so that it contains no
 * text of users.
 */
export function approvalInstructions(id: string): string {
  return (
    'Nothing has changed yet: this is a proposal. A person decides about it with the command "workforce proposals ' +
    `approve ${id} --organisation ORGANISATION", or "reject" in its place, ` +
    `or with POST /api/v1/write-proposals/${id}/approve or /reject and another key. get_write_proposal returns the ` +
    'outcome.'
  );
}

/** A space makes the keys of AI clients differ from those of requests, which have none. */
function idempotencyKeyOf(given: unknown): string {
  if (!isGiven(given)) return `mcp ${randomUUID()}`;
  const isKey = typeof given === 'string' && given.length <= MAX_KEY_LENGTH;
  if (isKey) return `mcp ${given}`;
  throw new HttpError('invalid_request', {
    details: [{ field: IDEMPOTENCY_ARGUMENT, issue: `must be a text of 1 to ${MAX_KEY_LENGTH} characters` }],
  });
}
