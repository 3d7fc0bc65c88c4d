import { Client, type CallToolResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Route } from '#http/operations/route-table.js';

/** The revisions of the protocol that the service speaks, the preferred one first. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/** Connects the protocol's own client with a key, in one revision. End it with `close`. */
export async function connect(url: string, apiKey: string, revision: Revision = '2026-07-28'): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1' },
    { versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' } },
  );
  const headers = { authorization: `Bearer ${apiKey}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return client;
}

/** Calls a tool; the result may be a refusal, see `isError`. */
export async function call(
  client: Client,
  name: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: { ...values } })) as CallToolResult;
}

/** Calls an operation through the generic tool, with the arguments that a REST path of it has. */
export function readAsTool(
  client: Client,
  { operation, path: template }: Route,
  path: string,
): Promise<CallToolResult> {
  return call(client, 'call_read_operation', {
    operation: operation.operationId,
    arguments: argumentsIn(template, path),
  });
}

function argumentsIn(template: string, path: string): Readonly<Record<string, string>> {
  const url = new URL(path, 'http://localhost');
  const segments = url.pathname.split('/');
  const parameters = template.split('/').flatMap((segment, at): readonly (readonly [string, string])[] => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    return name === undefined
      ? []
      : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), decodeURIComponent(segments[at]!)]];
  });
  return Object.fromEntries([...parameters, ...url.searchParams]);
}

/**
 * Calls the tool of a write, with the arguments that a REST request of it has in its path and in its body.
 */
export function writeAsTool(
  client: Client,
  tool: string,
  { path: template }: Pick<Route, 'path'>,
  request: Sent,
): Promise<CallToolResult> {
  return call(client, tool, {
    ...argumentsIn(template, request.path),
    ...(request.options.body as object | undefined),
  });
}

interface Sent {
  readonly path: string;
  readonly options: { readonly body?: unknown };
}

/** Returns the text of a result, which comes first. */
export function textOf({ content }: CallToolResult): string {
  const [first] = content;
  if (first?.type !== 'text') throw new Error(`not one text: ${JSON.stringify(content)}`);
  return first.text;
}

/** The envelope of a request in the revision 2026-07-28. */
export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What {@link post} sends besides the message. */
export interface RawOptions {
  readonly apiKey?: string;
  /** Added, or with null left out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly method?: string;
}

/** An answer as it was received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a message, or any body, with the headers that the revision 2026-07-28 asks for. */
export async function post(
  url: string,
  message: unknown,
  { apiKey, headers = {}, method = 'POST' }: RawOptions = {},
): Promise<RawAnswer> {
  const { method: rpc, params } = (typeof message === 'object' && message !== null ? message : {}) as {
    method?: string;
    params?: { name?: string; uri?: string };
  };
  const name = params?.name ?? params?.uri;
  const sent = new Headers({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    ...(rpc === undefined ? {} : { 'mcp-method': rpc }),
    ...(name === undefined ? {} : { 'mcp-name': name }),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  });
  for (const [key, value] of Object.entries(headers)) {
    if (value === null) sent.delete(key);
    else sent.set(key, value);
  }
  const body = method === 'GET' ? null : typeof message === 'string' ? message : JSON.stringify(message);
  const answer = await fetch(new URL('/mcp', url), { method, headers: sent, body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Returns a request of the revision 2026-07-28. */
export function message(method: string, params: Readonly<Record<string, unknown>> = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } };
}
