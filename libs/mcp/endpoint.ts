import type { AuthInfo } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '#http/errors.js';
import { addressOf } from '#http/pipeline/request-headers.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { CrossOrigin } from '#http/pipeline/cross-origin.js';
import type { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import { stateOf } from '#http/pipeline/request-state.js';
import type { WriteProposer } from '#http/pipeline/write-proposer.js';
import { logFailure } from '#http/pipeline/error-filter.js';
import type { Route } from '#http/operations/route-table.js';
import { assertBatch } from './batch.js';
import { CallSequence } from './call-sequence.js';
import type { Caller } from './caller.js';
import type { createHandler } from './handler.js';
import { refusalBody } from './refusal-body.js';

/** The path of the endpoint, on the API's address and on the sandbox's. */
const MCP_PATH = '/mcp';

/** The dependencies of the endpoint on its listener. */
export interface McpOptions {
  readonly routes: readonly Route[];
  readonly invoker: OperationInvoker;
  readonly proposer: WriteProposer;
  /**
   * Counts a further call of a request in the budgets of requests, and reports them in its response. Throws
   * if one is used up.
   */
  readonly drawCall: (key: AuthenticatedKey, reply: FastifyReply) => Promise<void>;
  /** Counts a write in a key's budget. Throws if it is used up. */
  readonly drawWrite: (key: AuthenticatedKey) => Promise<void>;
  /** Null if no origin is allowed. */
  readonly crossOrigin: CrossOrigin | null;
  readonly version: string;
  /** The public address of the listener; null if only requests tell it. */
  readonly publicUrl: string | null;
}

/** The headers that the protocol reads. No other headers, in particular not the key, leave the pipeline. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/**
 * Serves the Model Context Protocol (revisions 2026-07-28 and 2025-11-25, Streamable HTTP) below {@link
 * MCP_PATH}. The pipeline has then authenticated and counted the request and limited its size. No session is
 * kept: any process can answer a request completely. Clients are not notified of changes of a key's
 * permissions: a subscription to changes of the catalogue ends as soon as it is acknowledged.
 */
export function serveMcp(
  fastify: FastifyInstance,
  { routes, invoker, proposer, drawCall, drawWrite, crossOrigin, version, publicUrl }: McpOptions,
): void {
  let opening: Promise<ReturnType<typeof createHandler>> | null = null;
  // Loaded on first use: the protocol's library is as large as the rest of the API together, and most
  // installations have no AI clients.
  const open = async (): Promise<ReturnType<typeof createHandler>> => {
    const module = await import('./handler.js');
    const onRefused = (error: Error): void => fastify.log.debug({ reason: error.name }, 'a message was refused');
    return module.createHandler({ routes, invoker, proposer, version, onRefused });
  };
  const ownOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  fastify.post(
    MCP_PATH,
    { config: { plain: { name: 'mcp', callers: 'keys', errorBody: refusalBody } } },
    async (request, reply) => {
      const { origin } = request.headers;
      // Against DNS rebinding: a page in a browser may not use this endpoint unless its origin is configured.
      const isForeign =
        origin !== undefined &&
        origin !== ownOrigin &&
        !isOwnLoopback(origin, request) &&
        crossOrigin?.isAllowed(origin) !== true;
      if (isForeign) throw foreignOrigin();
      if (request.body === undefined)
        throw new HttpError('invalid_request', { details: [{ field: 'body', issue: 'is required' }] });
      assertBatch(request.body);
      opening ??= open();
      const response = await (
        await opening
      ).fetch(messageOf(request), {
        authInfo: authInfoOf(request, reply, { drawCall, drawWrite }),
        parsedBody: request.body,
      });
      if (response.status >= 500)
        throw new HttpError('internal_error', { cause: new Error('a message could not be answered') });
      await answer(reply, response);
      return reply;
    },
  );
  fastify.addHook('onClose', async () => (await opening)?.close());
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether an origin is the address of this listener on its own machine. Names that an external DNS resolves
 * do not count.
 */
function isOwnLoopback(origin: string, request: FastifyRequest): boolean {
  return origin === addressOf(request) && LOOPBACK_HOSTS.has(new URL(origin).hostname);
}

function foreignOrigin(): HttpError {
  return new HttpError('permission_denied', {
    details: [{ field: 'Origin', issue: 'is not an origin that may use this endpoint' }],
  });
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

/** Returns the caller as the library passes it to the server of the request: without the key's text. */
function authInfoOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { drawCall, drawWrite }: Pick<McpOptions, 'drawCall' | 'drawWrite'>,
): AuthInfo {
  const state = stateOf(request);
  if (state.key === null) throw new Error('a request reached the endpoint without a key');
  const { key } = state;
  const caller: Caller = {
    key,
    requestId: request.id,
    address: () => addressOf(request),
    client: clientNamedIn(request.body),
    turns: new CallSequence(() => drawCall(key, reply)),
    onWrite: () => drawWrite(key),
    onInvoke: (operationId) => {
      state.invoked = operationId;
    },
    onError: (error) => logFailure(request, error),
  };
  return { token: '', clientId: key.keyId, scopes: [...key.scopes], extra: { caller } };
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

/** Sends a complete response: it is one message, even if the protocol frames it as a stream of events. */
async function answer(reply: FastifyReply, response: Response): Promise<void> {
  const type = response.headers.get('content-type');
  if (type !== null) reply.header('content-type', type);
  await reply.code(response.status).send(await response.text());
}
