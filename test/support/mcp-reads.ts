import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import type { Route } from '#http/operations/route-table.js';
import { call } from './mcp.js';

/** Calls an operation through the generic tool, with the arguments that a REST path of it has. */
export function readAsTool(client: Client, { operation, path: template }: Route, path: string): Promise<CallToolResult> {
  const url = new URL(path, 'http://localhost');
  const segments = url.pathname.split('/');
  const parameters = template.split('/').flatMap((segment, at): readonly (readonly [string, string])[] => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    return name === undefined ? [] : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), decodeURIComponent(segments[at]!)]];
  });
  const given = Object.fromEntries([...parameters, ...url.searchParams]);
  return call(client, 'call_read_operation', { operation: operation.operationId, arguments: given });
}
