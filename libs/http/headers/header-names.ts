import { HEADERS } from '../openapi/error-responses.js';
import { SIMULATED_HEADER, SIMULATE_HEADER } from './simulation.js';

/**
 * The request headers of the contract (parts 5 and 7), with `traceparent` (W3C Trace Context), the sandbox's own and those of the Model
 * Context Protocol (revision 2026-07-28, Streamable HTTP).
 */
export const REQUEST_HEADERS: readonly string[] = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  SIMULATE_HEADER,
  'traceparent',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
];

/** The headers of answers that mean something to a caller: those that the OpenAPI document declares, and those of single answers. */
export const RESPONSE_HEADERS: readonly string[] = [...Object.keys(HEADERS), 'Allow', SIMULATED_HEADER];
