import type { CallToolResult, TextContent } from '@modelcontextprotocol/server';
import { HttpError, toHttpError } from '#http/errors.js';
import { errorBody } from '#http/errors.js';
import type { Route } from '#http/operations/route-table.js';
import type { Caller } from './caller.js';
import type { Catalogue } from './catalogue.js';
import { protocolErrorAfter } from './errors.js';
import { plainJson, plainValue } from './plain-json.js';
import { isGiven, type Reading, unknownArguments } from './reading.js';
import { approvalInstructions, type Writing, type Written } from './writing.js';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Refusals that other arguments may avoid: a model reads them as the result of its call, and can correct
 * itself.
 */
const CORRECTABLE: ReadonlySet<string> = new Set(['invalid_request', 'not_found', 'conflict']);

/** Runs the calls of tools. */
export class ToolCalls {
  private readonly generic: Readonly<Record<string, (caller: Caller, values: Arguments) => Promise<string> | string>>;

  constructor(
    private readonly catalogue: Catalogue,
    private readonly reading: Reading,
    private readonly writing: Writing,
  ) {
    this.generic = {
      list_operations: (caller, values) => this.list(caller, values),
      describe_operation: (caller, values) => JSON.stringify(catalogue.describe(this.operationOf(values), caller.key)),
      call_read_operation: (caller, values) => this.callRead(caller, values),
    };
  }

  /**
   * Runs a tool and returns its result. A refusal that other arguments may avoid is a result with `isError`;
   * any other error is thrown as an error of the protocol. The text of a result and its structured content
   * contain the same characters.
   */
  async call(caller: Caller, name: string, values: Arguments): Promise<CallToolResult> {
    try {
      return await caller.turns.take(async () => {
        const { body, isProposal } = await this.answerOf(caller, name, values);
        const structuredContent = plainValue(body) as Record<string, unknown>;
        return {
          content: [{ type: 'text', text: plainJson(body) }, ...(isProposal ? adviceFor(structuredContent) : [])],
          structuredContent,
        };
      });
    } catch (cause) {
      const error = toHttpError(cause, false);
      if (!CORRECTABLE.has(error.code) || error instanceof UnknownToolError) throw protocolErrorAfter(error, caller);
      return { content: [{ type: 'text', text: plainJson(errorBody(error, caller.requestId)) }], isError: true };
    }
  }

  private async answerOf(caller: Caller, name: string, values: Arguments): Promise<Written> {
    const tool = this.catalogue.tools.get(name);
    if (tool !== undefined) {
      if (tool.route.operation.write === undefined)
        return readAnswer(caller, await this.reading.read(tool.route, caller, values, tool.given));
      const written = await this.writing.run(tool, caller, values);
      caller.turns.answerWrite(written.body);
      return written;
    }
    const generic = Object.hasOwn(this.generic, name) ? this.generic[name] : undefined;
    if (generic === undefined) throw new UnknownToolError();
    return readAnswer(caller, await generic(caller, values));
  }

  private list({ key }: Caller, values: Arguments): string {
    assertOnly(values, 'tag');
    const { tag } = values;
    if (isGiven(tag) && typeof tag !== 'string') throw invalid('tag', 'must be a text');
    return JSON.stringify({ operations: this.catalogue.overview(key, isGiven(tag) ? (tag as string) : null) });
  }

  private async callRead(caller: Caller, values: Arguments): Promise<string> {
    assertOnly(values, 'operation', 'arguments');
    const route = this.operationOf({ operation: values.operation });
    const given = isGiven(values.arguments) ? values.arguments : {};
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw invalid('arguments', 'must be an object');
    this.catalogue.assertAvailable(route.operation, caller.key);
    if (route.operation.write !== undefined)
      throw invalid('operation', `writes: use the tool ${route.operation.tools[0]!.name}`);
    return this.reading.read(route, caller, given as Arguments);
  }

  private operationOf(values: Arguments): Route {
    assertOnly(values, 'operation');
    const { operation } = values;
    if (typeof operation !== 'string' || operation === '')
      throw invalid('operation', isGiven(operation) ? 'must be a text' : 'is required');
    const route = this.catalogue.operations.get(operation);
    if (route === undefined) throw new HttpError('not_found', { message: 'There is no such operation.' });
    return route;
  }
}

function readAnswer({ turns }: Caller, body: string): Written {
  turns.answerRead(body);
  return { body, isProposal: false };
}

/** Explains how a person decides about a pending proposal. */
function adviceFor({ data }: Record<string, unknown>): readonly TextContent[] {
  const { id, status } = data as { readonly id: string; readonly status: string };
  return status === 'pending' ? [{ type: 'text', text: approvalInstructions(id) }] : [];
}

/** The service has no tool of this name. */
class UnknownToolError extends HttpError {
  constructor() {
    super('not_found', { message: 'There is no such tool.' });
  }
}

function assertOnly(values: Arguments, ...names: readonly string[]): void {
  const details = unknownArguments(values, names);
  if (details.length > 0) throw new HttpError('invalid_request', { details });
}

function invalid(field: string, issue: string): HttpError {
  return new HttpError('invalid_request', { details: [{ field, issue }] });
}
