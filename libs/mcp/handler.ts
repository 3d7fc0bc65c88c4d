import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import type { WriteProposer } from './proposal/write-proposer.js';
import type { Route } from '#http/operations/route-table.js';
import type { Caller } from './caller.js';
import { Catalogue } from './catalogue.js';
import { Reading } from './reading.js';
import { ResourceReads } from './resource-templates.js';
import { createMcpServer } from './server.js';
import { ToolCalls } from './tool-calls.js';
import { Writing } from './writing.js';

/** The handler of protocol messages. */
export interface HandlerOptions {
  readonly routes: readonly Route[];
  readonly invoker: OperationInvoker;
  readonly proposer: WriteProposer;
  readonly version: string;
  /**
   * Called for a message with an error of the caller, which its response reports. Errors of the service go to
   * the caller's `onError`.
   */
  readonly onRefused: (error: Error) => void;
}

/** Makes the protocol's library answer with the operations of the API. */
export function createHandler({ routes, invoker, proposer, version, onRefused }: HandlerOptions): McpHttpHandler {
  const catalogue = new Catalogue(routes);
  const reading = new Reading(invoker);
  const parts = {
    version,
    catalogue,
    tools: new ToolCalls(catalogue, reading, new Writing({ catalogue, reading, invoker, proposer })),
    resources: new ResourceReads(catalogue, reading),
  };
  return createMcpHandler(({ authInfo }) => createMcpServer(parts, authInfo?.extra?.caller as Caller), {
    onerror: onRefused,
  });
}
