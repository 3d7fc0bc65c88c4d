import type { Json, JsonObject } from '#kernel/json.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { Operation, ToolOptions } from '#http/operation.js';
import { API_PREFIX, type Route } from '#http/operations/route-table.js';
import { dispositionOf, type ExecutionDisposition } from './disposition.js';
import { type Argument, argumentsOf, inputSchemaOf, outputSchemaOf } from './schemas.js';

/** A tool that runs one operation. */
export interface OperationTool {
  readonly route: Route;
  readonly given: readonly Argument[];
  readonly definition: ToolDefinition;
}

/** A tool as `tools/list` shows it, without what depends on the key. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** The key of `_meta` under which a tool reports the disposition of its operation. */
export const DISPOSITION_META = 'workforce-hr/execution';

/** Every tool only reads, has the same result for the same arguments, and reaches this service alone. */
export const READS: JsonObject = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** The operations of the API, and the tools that they declare; derived once from the routes. */
export class Catalogue {
  /** By the id of the operation. */
  readonly operations: ReadonlyMap<string, Route>;
  /** By the name of the tool. */
  readonly tools: ReadonlyMap<string, OperationTool>;

  constructor(routes: readonly Route[]) {
    this.operations = new Map(routes.map((route) => [route.operation.operationId, route]));
    this.tools = new Map(
      routes.flatMap((route) => route.operation.tools.map((options) => [options.name, toolOf(route, options)] as const)),
    );
  }

  /** Returns every operation with its disposition for a key, in the order of the routes; `tag` keeps those of one tag. */
  overview(key: AuthenticatedKey, tag: string | null): readonly OperationOverview[] {
    return [...this.operations.values()]
      .filter(({ operation }) => tag === null || operation.tags.includes(tag))
      .map(({ operation }) => ({
        operation: operation.operationId,
        summary: operation.summary,
        tags: operation.tags,
        tools: operation.tools.map(({ name }) => name),
        ...dispositionOf(operation, key),
      }));
  }

  /** Returns all that a caller needs to know of an operation before it calls it. */
  describe({ method, path, operation }: Route, key: AuthenticatedKey): Json {
    return {
      operation: operation.operationId,
      method,
      path: `/${API_PREFIX}${path}`,
      summary: operation.summary,
      description: operation.description ?? null,
      scope: operation.scope,
      tools: operation.tools.map(({ name }) => name),
      ...dispositionOf(operation, key),
      // A body is described by the OpenAPI document: an AI client can send none.
      input_schema: inputSchemaOf(argumentsOf(operation)),
      output_schema: outputSchemaOf(operation),
    };
  }

  /** Returns the tools of operations as `tools/list` shows them to a key. */
  listFor(key: AuthenticatedKey): readonly (ToolDefinition & { readonly _meta: JsonObject })[] {
    return [...this.tools.values()].map(({ route, definition }) => ({ ...definition, _meta: metaOf(route.operation, key) }));
  }
}

/** An operation in the list of operations. */
export interface OperationOverview extends ExecutionDisposition {
  readonly operation: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly tools: readonly string[];
}

function metaOf(operation: Operation, key: AuthenticatedKey): JsonObject {
  const { disposition, reason } = dispositionOf(operation, key);
  return { [DISPOSITION_META]: { operation: operation.operationId, disposition, ...(reason === null ? {} : { reason }) } };
}

function toolOf(route: Route, options: ToolOptions): OperationTool {
  const { operation } = route;
  if (operation.write !== undefined) throw new Error(`${operation.operationId} writes, and has a tool`);
  const given = argumentsOf(operation, options);
  const { name, title, description } = options;
  const definition = {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(given),
    outputSchema: outputSchemaOf(operation),
    annotations: READS,
  };
  return { route, given, definition };
}
