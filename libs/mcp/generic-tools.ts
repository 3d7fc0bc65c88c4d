import type { JsonObject } from '#kernel/json.js';
import { DISPOSITIONS } from './disposition.js';
import { READS, type ToolDefinition } from './catalogue.js';

const OPERATION: JsonObject = { type: 'string', description: 'The id of an operation, as list_operations returns it.' };

/** The tools for operations without a tool of their own. */
export const GENERIC_TOOLS = {
  list_operations: {
    name: 'list_operations',
    title: 'List every operation of the API',
    description:
      'Lists every operation of the API with its disposition: "direct" runs now; "approval_required" becomes a ' +
      'proposal that a person approves; "unavailable" does not run, and "reason" tells the reason: the key lacks a ' +
      'scope, the plan or the operator allows no writes, or it is not offered to AI clients. A tag, such as People, ' +
      'selects its operations.',
    inputSchema: {
      type: 'object',
      properties: { tag: { type: 'string', description: 'Selects the operations of one tag.' } },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        operations: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              operation: { type: 'string' },
              summary: { type: 'string' },
              tags: { type: 'array', items: { type: 'string' } },
              tools: { type: 'array', items: { type: 'string' } },
              disposition: { type: 'string', enum: [...DISPOSITIONS] },
              reason: { type: ['string', 'null'] },
            },
          },
        },
      },
      required: ['operations'],
    },
    annotations: READS,
  },
  describe_operation: {
    name: 'describe_operation',
    title: 'Describe an operation',
    description:
      'Describes one operation: its purpose, its arguments, its response, the scope that it needs, and whether it ' +
      'would run now. Use it before call_read_operation.',
    inputSchema: {
      type: 'object',
      properties: { operation: OPERATION },
      required: ['operation'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object' },
    annotations: READS,
  },
  call_read_operation: {
    name: 'call_read_operation',
    title: 'Call an operation that reads',
    description:
      'Runs any operation that only reads, with the arguments that describe_operation lists. If list_operations ' +
      'names a specific tool, use that. Lists come page by page: pass ' +
      'pagination.next_cursor as the argument cursor to read on.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: OPERATION,
        arguments: { type: 'object', description: 'The arguments of the operation, by name.' },
      },
      required: ['operation'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { data: {}, pagination: { type: 'object' } }, required: ['data'] },
    annotations: READS,
  },
} as const satisfies Readonly<Record<string, ToolDefinition>>;
