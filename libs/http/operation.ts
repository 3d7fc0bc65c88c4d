import 'reflect-metadata';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import fastJsonStringify from 'fast-json-stringify';
import type { JsonObject } from '#kernel/json.js';
import type { Scope } from '#kernel/scopes.js';
import type { Answer } from './call.js';
import { deprecationHeaders, deprecationOf } from './deprecation.js';
import type { ErrorCode } from './errors.js';
import type { Deprecation, ShapeClass } from './fields/shape.js';
import { type Checked, compileBodyCheck, compileTextCheck, type TextValues } from './fields/check.js';
import { responseSchemaOf } from './fields/response-schema.js';
import type { PeopleAccess } from './people-access.js';

/** The form of `data`: one object, a page with `pagination`, a list without it, or no body (204). */
export type ResponseKind = 'single' | 'page' | 'list' | 'none';

/** The preconditions of a write besides its Idempotency-Key. */
export interface WriteOptions {
  /**
   * `required`: without it, the command answers 428 (`requireMatch`). `honoured`: checked if the request has
   * it.
   */
  readonly ifMatch: 'required' | 'honoured' | 'none';
  /**
   * `sealed`: bodies or responses contain values that must never be stored unencrypted, so receipts are
   * encrypted.
   */
  readonly receipt?: 'sealed';
}

/**
 * How an operation is offered to AI clients: as a tool of the Model Context Protocol, whose schemas follow
 * from the operation's classes.
 */
export interface ToolOptions {
  /** Unique in the service, in snake_case. */
  readonly name: string;
  readonly title: string;
  /** One paragraph, written for a model: the purpose of the tool, and when another tool fits better. */
  readonly description: string;
  /** Parameters of the operation that the tool does not offer. */
  readonly without?: readonly string[];
  /** Parameters that are optional for the operation, and required by the tool. */
  readonly requires?: readonly string[];
  /**
   * For an operation that writes: how a call of the tool becomes a proposal. Without it, the tool runs at
   * once.
   */
  readonly proposal?: ProposalOptions;
}

/** How a write becomes a proposal that a person approves (ADR 66). */
export interface ProposalOptions {
  /**
   * The id of the operation that reads the resource that the write changes: its entity tag, and the values
   * before. Null for a new resource.
   */
  readonly reads: string | null;
  /** Where the id of the person concerned is found; `new`: the write creates the person. */
  readonly personIn: 'path' | 'body' | 'read' | 'new';
  /** A description of the effect of an operation without a body, for the person who decides. */
  readonly becomes?: Readonly<Record<string, string>>;
}

/** The declaration that governs and documents a route. */
export interface OperationOptions {
  /** Unique in the service, in camelCase. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** Null: any valid key may call it. */
  readonly scope: Scope | null;
  /** How it treats people for the roles by relation; without it, they may not call it. */
  readonly people?: PeopleAccess;
  /**
   * The stable domain capability identifier (`x-service-domain-capability`), such as
   * `people.identity.update`.
   */
  readonly capability: string;
  /** Path parameters. Malformed ids in them are answered with 404. */
  readonly parameters?: ShapeClass;
  readonly query?: ShapeClass;
  readonly body?: ShapeClass;
  /** Whether a missing body is equivalent to an empty object. */
  readonly isBodyOptional?: true;
  /** The maximum size of a body in bytes; `MAX_BODY_BYTES`, that of every request, by default. */
  readonly bodyLimit?: number;
  /** Null for an operation that answers with 204 and no body. */
  readonly response: ShapeClass | null;
  /** `single` by default, or `none` without a response. */
  readonly responseKind?: ResponseKind;
  /** 200 by default, or 204 without a response. */
  readonly successStatus?: 200 | 201 | 204;
  /** Present for exactly those operations that write. */
  readonly write?: WriteOptions;
  /** Whether its successful response has the headers `Service-Resource-ETag` and `ETag`. */
  readonly entityTag?: boolean;
  /** Error codes besides those common to operations of its kind. */
  readonly errors?: readonly ErrorCode[];
  /** A separate budget in addition to those of every request. */
  readonly rateLimit?: 'webhook' | 'imports';
  /** Returns the data of a replay, for a first response with a value that is shown only once. */
  readonly redactForReplay?: (data: object) => object;
  /** Announces the end of the operation: in the document, and by headers of its responses. */
  readonly deprecated?: Deprecation;
  /** Its own tools for AI clients; without any, the generic tools call a read and describe a write. */
  readonly tools?: readonly ToolOptions[];
}

/** An operation with its defaults filled in, as the pipeline uses it. */
export type Operation = Readonly<OperationOptions> &
  Required<Pick<OperationOptions, 'responseKind' | 'successStatus' | 'tools'>>;

const operations = new WeakMap<object, Operation>();

/**
 * Declares the operation of a route, next to Nest's @Get, @Post and so on. The handler takes its checked call
 * by {@link Receive} and returns an {@link Answer}. Throws for a handler without a call, because only the
 * pipe validates input.
 */
export function Operation(options: OperationOptions) {
  return <Handler extends (...parameters: never[]) => Promise<Answer> | Answer>(
    prototype: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<Handler>,
  ): void => {
    if (receivers.get(prototype)?.has(name) !== true)
      throw new Error(`${options.operationId} takes no call, so its input would not be checked`);
    const isEmpty = options.response === null;
    const operation: Operation = {
      responseKind: isEmpty ? 'none' : 'single',
      successStatus: isEmpty ? 204 : 200,
      tools: [],
      ...options,
    };
    operations.set(descriptor.value!, operation);
    RouteConfig({ operation })(prototype, name, descriptor);
  };
}

/** Whether the tool of a write proposes it, unless the organisation allows the operation to run directly. */
export function isProposable({ tools }: Pick<Operation, 'tools'>): boolean {
  return tools[0]?.proposal !== undefined;
}

/** Returns the operation that was declared for a controller's method. */
export function operationOf(handler: object): Operation | undefined {
  return operations.get(handler);
}

/** The request that {@link Receive} passes to the pipe, which makes the checked `Call`. */
export class ReceivedRequest {
  constructor(
    readonly request: object,
    /** The status of a success of an endpoint, which Nest has set already. */
    readonly status: number,
  ) {}
}

const receive = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return new ReceivedRequest(http.getRequest(), http.getResponse<{ readonly statusCode: number }>().statusCode);
});

/** The methods of controllers that take a call, by prototype. */
const receivers = new WeakMap<object, Set<string | symbol>>();

/** Passes the checked `Call` to a controller's method. */
export function Receive(): ParameterDecorator {
  return (prototype, name, index) => {
    receivers.set(prototype, (receivers.get(prototype) ?? new Set()).add(name!));
    receive()(prototype, name, index);
  };
}

/** The whole body of a success (contract part 4). */
export interface Envelope {
  readonly data: unknown;
  readonly pagination: { readonly next_cursor: string | undefined };
}

/** Wraps a controller's result in the envelope. The serialiser writes only the declared fields. */
export function envelopeOf({ data, nextCursor }: Answer): Envelope {
  return { data, pagination: { next_cursor: nextCursor ?? undefined } };
}

/** An operation with its checks and its serialiser, compiled once when its route is registered. */
export interface CompiledOperation {
  readonly operation: Operation;
  readonly method: string;
  /** The route's pattern, such as `/api/v1/people/:person_id`. */
  readonly route: string;
  readonly checkQuery: (values: TextValues) => Checked;
  readonly checkParameters: (values: TextValues) => Checked;
  readonly checkBody: (body: unknown) => Checked;
  /** The JSON schema of the whole body of a success, with `data` and `pagination`; null for 204. */
  readonly responseSchema: JsonObject | null;
  /**
   * The serialiser of the route: Fastify writes successes with it, and receipts hold its text. Null for 204.
   * Throws for a missing value or one of the wrong type: an error of the service.
   */
  readonly serialise: ((body: Envelope) => string) | null;
  /**
   * The path of the created resource, with its id in braces: `/api/v1/people/{personId}`; null if it has
   * none.
   */
  readonly createdPath: string | null;
  /** The headers that announce the end of the operation or of one of its fields; null if there is none. */
  readonly deprecationHeaders: Readonly<Record<string, string>> | null;
}

const compiledOperations = new WeakMap<Operation, CompiledOperation>();

/** Compiles the parts of a route that are the same for every request. */
export function compileOperation(
  operation: Operation,
  method: string,
  route: string,
  createdPath: string | null = null,
): CompiledOperation {
  const { response, responseKind } = operation;
  const responseSchema = response === null || responseKind === 'none' ? null : responseSchemaOf(response, responseKind);
  const deprecation = deprecationOf(operation);
  const compiled: CompiledOperation = {
    operation,
    method,
    route,
    checkQuery: compileTextCheck(operation.query),
    checkParameters: compileTextCheck(operation.parameters),
    checkBody: bodyCheckOf(operation),
    responseSchema,
    serialise: responseSchema === null ? null : serialiserOf(responseSchema),
    createdPath,
    deprecationHeaders: deprecation === null ? null : deprecationHeaders(deprecation),
  };
  compiledOperations.set(operation, compiled);
  return compiled;
}

/** Returns the compiled operation of a registered route. Throws for an operation without a route. */
export function compiledOf(operation: Operation): CompiledOperation {
  const compiled = compiledOperations.get(operation);
  if (compiled === undefined) throw new Error(`${operation.operationId} has no route`);
  return compiled;
}

function bodyCheckOf({ body, isBodyOptional }: Operation): CompiledOperation['checkBody'] {
  if (body === undefined) return checkNoBody;
  const check = compileBodyCheck(body);
  return isBodyOptional === true ? (given) => check(given === undefined ? {} : given) : check;
}

class NoFields {}
const checkEmptyObject = compileBodyCheck(NoFields);

/** For an operation without a body, a missing body and an empty object are equivalent. */
function checkNoBody(body: unknown): Checked {
  return body === undefined ? { value: undefined, issues: [] } : { ...checkEmptyObject(body), value: undefined };
}

/** Compiled with the first response: compiling all serialisers would take a quarter of the start. */
function serialiserOf(schema: JsonObject): NonNullable<CompiledOperation['serialise']> {
  let write: ((body: Envelope) => string) | undefined;
  return (body) => (write ??= fastJsonStringify(schema))(body);
}
