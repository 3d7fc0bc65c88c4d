import { randomUUID } from 'node:crypto';
import { type ErrorCode, HttpError } from '#http/errors.js';
import type { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import type { WriteProposer } from '#http/pipeline/write-proposer.js';
import type { Issue } from '#kernel/rejection.js';
import type { Caller } from './caller.js';
import type { Catalogue, OperationTool } from './catalogue.js';
import { placed, type Reading } from './reading.js';
import { IDEMPOTENCY_ARGUMENT } from './schemas.js';

type Values = Readonly<Record<string, unknown>>;

const LONGEST_KEY = 255;

/** Runs the tools that write: most propose, and a person decides. */
export class Writing {
  constructor(
    private readonly parts: {
      readonly catalogue: Catalogue;
      readonly reading: Reading;
      readonly invoker: OperationInvoker;
      readonly proposer: WriteProposer;
    },
  ) {}

  /** Returns the body that REST would answer with: the proposal, or what the operation itself answers. Throws as a read does. */
  async run(tool: OperationTool, caller: Caller, { [IDEMPOTENCY_ARGUMENT]: given, ...values }: Values): Promise<string> {
    const { catalogue, reading, proposer } = this.parts;
    const { route, proposal } = tool;
    const { operation } = route;
    catalogue.assertAvailable(operation, caller.key);
    const idempotencyKey = idempotencyKeyOf(given);
    const { parameters, body } = placed(tool.given, values);
    const write = { ...caller, parameters, body: operation.body === undefined ? undefined : body, idempotencyKey };
    await caller.onWrite();
    caller.onInvoke(operation.operationId);
    if (proposal === null) return this.runAtOnce(tool, write);
    const id = await proposer.propose({ ...write, route, proposal, reads: catalogue.readsOf(operation) });
    return reading.read(catalogue.routeOf('getWriteProposal'), caller, { write_proposal_id: id });
  }

  private async runAtOnce({ route }: OperationTool, write: Omit<Parameters<OperationInvoker['write']>[1], 'ifMatch'>): Promise<string> {
    const { status, body } = await this.parts.invoker.write(route, { ...write, ifMatch: null });
    if (status < 400) return body;
    const { error } = JSON.parse(body) as {
      readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: readonly Issue[] };
    };
    throw new HttpError(error.code, { status, message: error.message, details: error.details ?? [] });
  }
}

/** What a person has to do about a proposal: constant but for its id, so that no text that people typed is in it. */
export function howToApprove(id: string): string {
  return (
    `Nothing has changed yet: this is a proposal. A person decides about it with the command "workforce proposals approve ${id}" or "... reject ${id}", ` +
    `or with POST /api/v1/write-proposals/${id}/approve or /reject and another key. get_write_proposal shows what became of it.`
  );
}

/** A blank keeps the keys of AI clients apart from those of requests, which have none. */
function idempotencyKeyOf(given: unknown): string {
  if (given === undefined) return `mcp ${randomUUID()}`;
  const isKey = typeof given === 'string' && given !== '' && given.length <= LONGEST_KEY;
  if (isKey) return `mcp ${given}`;
  throw new HttpError('invalid_request', {
    details: [{ field: IDEMPOTENCY_ARGUMENT, issue: `must be a text of 1 to ${LONGEST_KEY} characters` }],
  });
}
