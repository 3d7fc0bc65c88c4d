import type { Json, JsonObject } from '#kernel/json.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { Operation, ProposalOptions, ToolOptions } from '#http/operation.js';
import { canBeInvoked } from '#http/pipeline/operation-invoker.js';
import { API_PREFIX, type Route } from '#http/operations/route-table.js';
import { assertAvailable, dispositionOf, type ExecutionDisposition, isProposed } from './disposition.js';
import { type Argument, argumentsOf, inputSchemaOf, outputSchemaOf, WRITTEN_SCHEMA } from './schemas.js';

/** A tool that runs one operation. */
export interface OperationTool {
  readonly route: Route;
  readonly given: readonly Argument[];
  /** How it becomes a proposal; null for a tool that runs at once in every organisation. */
  readonly proposal: ProposalOptions | null;
  /** For a tool with a `proposal`: the description of its proposing form. */
  readonly definition: ToolDefinition;
  /** The description of the same tool if an organisation allows its operation to run directly. */
  readonly directDescription: string;
}

/** A tool for `tools/list`, without the parts that depend on the key. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** The key of `_meta` under which a tool reports the disposition of its operation. */
const DISPOSITION_META = 'workforce-hr/execution';

/**
 * A tool that only reads and accesses this service only. The protocol's other hints have no meaning for such
 * a tool.
 */
export const READS: JsonObject = { readOnlyHint: true, openWorldHint: false };
/**
 * A tool that writes or proposes: it never destroys recorded data. For the protocol, it is not a read-only
 * tool.
 */
const WRITES: JsonObject = { destructiveHint: false, openWorldHint: false };

/**
 * The last sentence of a writing tool's description, short because a model reads it with every list of tools.
 */
const PROPOSES = 'A person approves it first.';
const WRITES_AT_ONCE = 'It is written at once.';

/** The operations of the API, and the tools that they declare; derived once from the routes. */
export class Catalogue {
  /** By the id of the operation. */
  readonly operations: ReadonlyMap<string, Route>;
  /** By the name of the tool. */
  readonly tools: ReadonlyMap<string, OperationTool>;

  constructor(routes: readonly Route[]) {
    this.operations = new Map(routes.map((route) => [route.operation.operationId, route]));
    this.tools = new Map(
      routes.flatMap((route) =>
        route.operation.tools.map((options) => [options.name, toolOf(route, options)] as const),
      ),
    );
  }

  /** The route of an existing operation. */
  routeOf(operationId: string): Route {
    const route = this.operations.get(operationId);
    if (route === undefined) throw new Error(`there is no operation ${operationId}`);
    return route;
  }

  /** Returns the route of the read that a proposal of this operation uses; null for other operations. */
  readsOf({ tools: [tool] }: Operation): Route | null {
    const reads = tool?.proposal?.reads ?? null;
    return reads === null ? null : this.routeOf(reads);
  }

  /** Returns the one disposition of an operation for a key. */
  dispositionOf(operation: Operation, key: AuthenticatedKey): ExecutionDisposition {
    return dispositionOf(operation, key, this.readsOf(operation)?.operation ?? null);
  }

  /** Throws the refusal (403) of an operation that is not available to a key. */
  assertAvailable(operation: Operation, key: AuthenticatedKey): void {
    assertAvailable(operation, key, this.readsOf(operation)?.operation ?? null);
  }

  /**
   * Returns every operation with its disposition for a key, in the order of the routes; `tag` keeps those of
   * one tag.
   */
  overview(key: AuthenticatedKey, tag: string | null): readonly OperationOverview[] {
    return [...this.operations.values()]
      .filter(({ operation }) => tag === null || operation.tags.includes(tag))
      .map(({ operation }) => ({
        operation: operation.operationId,
        summary: operation.summary,
        tags: operation.tags,
        tools: operation.tools.map(({ name }) => name),
        ...this.dispositionOf(operation, key),
      }));
  }

  /** Returns the description of an operation for a caller, before a call. */
  describe({ method, path, operation }: Route, key: AuthenticatedKey): Json {
    return {
      operation: operation.operationId,
      method,
      path: `/${API_PREFIX}${path}`,
      summary: operation.summary,
      description: operation.description ?? null,
      scope: operation.scope,
      tools: operation.tools.map(({ name }) => name),
      ...this.dispositionOf(operation, key),
      // The OpenAPI document describes the bodies of other writes, which an AI client cannot send.
      input_schema: inputSchemaOf(argumentsOf(operation)),
      output_schema: outputSchemaOf(operation),
    };
  }

  /** Returns the tools of operations for `tools/list` with a key. */
  listFor(key: AuthenticatedKey): readonly (ToolDefinition & { readonly _meta: JsonObject })[] {
    return [...this.tools.values()].map(({ route: { operation }, definition, directDescription }) => ({
      ...definition,
      description: isProposed(operation, key) ? definition.description : directDescription,
      _meta: this.metaOf(operation, key),
    }));
  }

  private metaOf(operation: Operation, key: AuthenticatedKey): JsonObject {
    const { disposition, reason } = this.dispositionOf(operation, key);
    return {
      [DISPOSITION_META]: { operation: operation.operationId, disposition, ...(reason === null ? {} : { reason }) },
    };
  }
}

/** An operation in the list of operations. */
export interface OperationOverview extends ExecutionDisposition {
  readonly operation: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly tools: readonly string[];
}

function toolOf(route: Route, options: ToolOptions): OperationTool {
  const { operation } = route;
  const isWrite = operation.write !== undefined;
  if (isWrite && !canBeInvoked(route))
    throw new Error(`${operation.operationId} has a tool, and cannot run without a request of its own`);
  const given = argumentsOf(operation, options);
  const { name, title, description, proposal = null } = options;
  const definition = {
    name,
    title,
    description: proposal === null ? description : `${description} ${PROPOSES}`,
    inputSchema: inputSchemaOf(given, isWrite),
    outputSchema: isWrite ? WRITTEN_SCHEMA : outputSchemaOf(operation),
    annotations: isWrite ? WRITES : READS,
  };
  return {
    route,
    given,
    proposal,
    definition,
    directDescription: proposal === null ? description : `${description} ${WRITES_AT_ONCE}`,
  };
}
