import { Controller, Inject, type OnApplicationShutdown, Post, Req, Res } from '@nestjs/common';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROGRAM_VERSION, PUBLIC_URL, ROUTES } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { HttpError } from '#http/errors.js';
import { Receive } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import { BudgetGuard } from '#http/pipeline/budget-guard.js';
import { CrossOrigin } from '#http/pipeline/cross-origin.js';
import { logFailure } from '#http/pipeline/error-filter.js';
import { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import { addressOf } from '#http/pipeline/request-headers.js';
import { stateOf } from '#http/pipeline/request-state.js';
import { assertBatch } from './batch.js';
import { CallSequence } from './call-sequence.js';
import type { Caller } from './caller.js';
import type { createHandler } from './handler.js';
import { WriteProposals } from './proposal/write-proposals.js';
import { refusalBody } from './refusal-body.js';

/** The path of the endpoint, on the API's address and on the sandbox's. */
export const MCP_PATH = '/mcp';

/** The headers that the protocol reads. No other headers, in particular not the key, leave the pipeline. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/**
 * The Model Context Protocol (revisions 2026-07-28 and 2025-11-25, Streamable HTTP). No session is kept: any
 * process can answer a request completely. Clients are not notified of changes of a key's permissions: a
 * subscription to changes of the catalogue ends as soon as it is acknowledged.
 */
@Controller(MCP_PATH)
export class McpController implements OnApplicationShutdown {
  private readonly ownOrigin: string | null;
  private opening: Promise<ReturnType<typeof createHandler>> | null = null;

  constructor(
    @Inject(ROUTES) private readonly routes: readonly Route[],
    @Inject(PUBLIC_URL) publicUrl: string | null,
    @Inject(PROGRAM_VERSION) private readonly version: string,
    private readonly invoker: OperationInvoker,
    private readonly proposer: WriteProposals,
    private readonly budgets: BudgetGuard,
    private readonly crossOrigin: CrossOrigin,
  ) {
    this.ownOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  }

  @Post()
  // Each operation checks the people that it names.
  @Endpoint({ name: 'mcp', callers: 'ai_clients', people: { of: 'none' }, errorBody: refusalBody })
  async answer(
    @Receive() { body }: Call<unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    this.assertNotForeign(request);
    if (body === undefined)
      throw new HttpError('invalid_request', { details: [{ field: 'body', issue: 'is required' }] });
    assertBatch(body);
    this.opening ??= this.open(request);
    const handler = await this.opening;
    const response = await handler.fetch(messageOf(request), {
      authInfo: this.authInfoOf(request, reply, body),
      parsedBody: body,
    });
    if (response.status >= 500)
      throw new HttpError('internal_error', { cause: new Error('a message could not be answered') });
    const type = response.headers.get('content-type');
    if (type !== null) reply.header('content-type', type);
    reply.code(response.status);
    // It is one message, even if the protocol frames it as a stream of events.
    return response.text();
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.opening)?.close();
  }

  /**
   * Loads the protocol's library on first use: it is as large as the rest of the API together, and most
   * installations have no AI clients.
   */
  private async open({ log }: FastifyRequest): Promise<ReturnType<typeof createHandler>> {
    const module = await import('./handler.js');
    const { routes, invoker, proposer, version } = this;
    const onRefused = (error: Error): void => log.debug({ reason: error.name }, 'a message was refused');
    return module.createHandler({ routes, invoker, proposer, version, onRefused });
  }

  /** Against DNS rebinding: a page in a browser may not use this endpoint unless its origin is configured. */
  private assertNotForeign(request: FastifyRequest): void {
    const { origin } = request.headers;
    if (origin === undefined || origin === this.ownOrigin) return;
    if (isOwnLoopback(origin, request) || this.crossOrigin.isAllowed(origin)) return;
    throw new HttpError('permission_denied', {
      details: [{ field: 'Origin', issue: 'is not an origin that may use this endpoint' }],
    });
  }

  /** Returns the caller as the library passes it to the server of the request: without the key's text. */
  private authInfoOf(request: FastifyRequest, reply: FastifyReply, body: unknown): AuthInfo {
    const state = stateOf(request);
    const key = state.key!;
    const caller: Caller = {
      key,
      requestId: request.id,
      address: () => addressOf(request),
      client: clientNamedIn(body),
      turns: new CallSequence(() => this.budgets.drawCall(key, reply)),
      onWrite: () => this.budgets.drawWrite(key),
      onInvoke: (operationId) => {
        state.invoked = operationId;
      },
      onError: (error) => logFailure(request, error),
    };
    return { token: '', clientId: key.keyId, scopes: [...key.scopes], extra: { caller } };
  }
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether an origin is the address of this listener on its own machine. Names that an external DNS resolves
 * do not count.
 */
function isOwnLoopback(origin: string, request: FastifyRequest): boolean {
  return origin === addressOf(request) && LOOPBACK_HOSTS.has(new URL(origin).hostname);
}

/** The media types of the protocol's responses, which its library requires in Accept. */
const ANSWER_TYPES = 'application/json, text/event-stream';

/**
 * Without the header, and with one that contains any type, a client accepts every response (RFC 9110, section
 * 12.5.1).
 */
function takesAnything(accept = ''): boolean {
  return accept.trim() === '' || accept.split(',').some((range) => range.split(';', 1)[0]!.trim() === '*/*');
}

/**
 * Returns the request in the form of the protocol's library. Its body is passed separately, because the
 * pipeline has parsed it.
 */
function messageOf({ method, headers }: FastifyRequest): Request {
  const read = new Headers();
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') read.set(name, value);
  }
  if (takesAnything(headers.accept)) read.set('accept', ANSWER_TYPES);
  return new Request(`http://localhost${MCP_PATH}`, { method, headers: read });
}

const CLIENT_META = 'io.modelcontextprotocol/clientInfo';

/**
 * Returns the client's name in a message of the revision 2026-07-28. The older revision has it in
 * `initialize` only.
 */
function clientNamedIn(message: unknown): string | null {
  const client = ['params', '_meta', CLIENT_META].reduce<unknown>((value, name) => memberOf(value, name), message);
  const [name, version] = [memberOf(client, 'name'), memberOf(client, 'version')];
  if (typeof name !== 'string') return null;
  return typeof version === 'string' ? `${name} ${version}` : name;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The endpoint for AI clients. Its only stored data are proposals and the policies of organisations. */
export const mcpResource = defineResource({ area: 'integration', controllers: [McpController] });
