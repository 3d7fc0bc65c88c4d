import 'reflect-metadata';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import fastJsonStringify from 'fast-json-stringify';
import type { JsonObject } from '#kernel/json.js';
import type { Scope } from '#kernel/scopes.js';
import type { Answer } from './call.js';
import type { ErrorCode } from './errors.js';
import type { ShapeClass } from './fields/shape.js';
import { type Checked, compileBodyCheck, compileTextCheck, type TextValues } from './fields/check.js';
import { responseSchemaOf } from './fields/response-schema.js';

/** The form of `data`: one object, a page with `pagination`, a list without it, or no body (204). */
export type ResponseKind = 'single' | 'page' | 'list' | 'none';

/** The requirements of a write besides its Idempotency-Key. */
export interface WriteOptions {
  /**
   * `required`: the command answers 428 without it (`requireMatch`); `honoured`: checked if the request has
   * it.
   */
  readonly ifMatch: 'required' | 'honoured' | 'none';
  /**
   * `sealed`: bodies or answers contain values that must not be stored unencrypted, not even for the days
   * that a receipt is kept.
   */
  readonly receipt?: 'sealed';
}

/**
 * How AI clients see an operation: as a tool of the Model Context Protocol, whose schemas follow from the
 * operation's classes.
 */
export interface ToolOptions {
  /** Unique in the service, in snake_case. */
  readonly name: string;
  readonly title: string;
  /** One paragraph, written for a model: what the tool is for, and when another one fits better. */
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
   * The id of the operation that reads what the write changes: its entity tag, and the values before. Null
   * for a new resource.
   */
  readonly reads: string | null;
  /** Where the id of the person whom the write concerns is found; `new`: the write creates the person. */
  readonly personIn: 'path' | 'body' | 'read' | 'new';
  /** What an operation without a body sets, as the person who decides reads it. */
  readonly becomes?: Readonly<Record<string, string>>;
}

/** Everything that governs and documents a route. */
export interface OperationOptions {
  /** Unique in the service, in camelCase. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** Null: any valid key may call it. */
  readonly scope: Scope | null;
  /**
   * The stable domain capability identifier (`x-service-domain-capability`), such as
   * `people.identity.update`.
   */
  readonly capability: string;
  /** Path parameters. Malformed ids among them are answered with 404. */
  readonly parameters?: ShapeClass;
  readonly query?: ShapeClass;
  readonly body?: ShapeClass;
  /** Whether a request without a body is like one with an empty object. */
  readonly isBodyOptional?: true;
  /** The largest body, in bytes; that of every request (`MAX_BODY_BYTES`) where not given. */
  readonly bodyLimit?: number;
  /** Null for an operation that answers with 204 and no body. */
  readonly response: ShapeClass | null;
  /** `single` where not given, or `none` without a response. */
  readonly responseKind?: ResponseKind;
  /** 200 where not given, or 204 without a response. */
  readonly successStatus?: 200 | 201 | 204;
  /** Given for every operation that changes something, and only for these. */
  readonly write?: WriteOptions;
  /** Whether its success carries `Service-Resource-ETag` and `ETag`. */
  readonly entityTag?: boolean;
  /** Error codes besides those that every operation of its kind can answer with. */
  readonly errors?: readonly ErrorCode[];
  /** A separate budget in addition to those of every request. */
  readonly rateLimit?: 'webhook' | 'imports';
  /** Returns the data of a replay, where the first answer contained a value that is shown only once. */
  readonly redactForReplay?: (data: object) => object;
  /** Its own tools for AI clients; without any, a generic tool reaches a read, and describes a write. */
  readonly tools?: readonly ToolOptions[];
}

/** An operation with its defaults filled in, as the pipeline uses it. */
export type Operation = Readonly<OperationOptions> &
  Required<Pick<OperationOptions, 'responseKind' | 'successStatus' | 'tools'>>;

const operations = new WeakMap<object, Operation>();

/**
 * Declares the operation of a route, next to Nest's @Get, @Post and so on. The handler takes its checked call
 * by {@link Receive} and returns an {@link Answer}. Throws for a handler that takes none: the pipe checks
 * what is received.
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

/**
 * Whether the tool of an operation that writes proposes the write, unless the organisation lets the operation
 * run directly.
 */
export function isProposable({ tools }: Pick<Operation, 'tools'>): boolean {
  return tools[0]?.proposal !== undefined;
}

/** Returns the operation that was declared for a controller's method. */
export function operationOf(handler: object): Operation | undefined {
  return operations.get(handler);
}

/** What {@link Receive} hands to the pipe that makes the checked `Call` of it. */
export class ReceivedRequest {
  constructor(readonly request: object) {}
}

const receive = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new ReceivedRequest(context.switchToHttp().getRequest()),
);

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

/**
 * Puts what a controller answers into the envelope. The serialiser writes of it what the operation declares.
 */
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
   * Throws for a value that is missing or of a wrong type: a mistake of the service.
   */
  readonly serialise: ((body: Envelope) => string) | null;
  /**
   * Where what it creates can be read, with the id in braces: `/api/v1/people/{personId}`; null where
   * nowhere.
   */
  readonly createdPath: string | null;
}

const compiledOperations = new WeakMap<Operation, CompiledOperation>();

/** Compiles the parts of a route that stay the same for every request. */
export function compileOperation(
  operation: Operation,
  method: string,
  route: string,
  createdPath: string | null = null,
): CompiledOperation {
  const { response, responseKind } = operation;
  const responseSchema = response === null || responseKind === 'none' ? null : responseSchemaOf(response, responseKind);
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
  };
  compiledOperations.set(operation, compiled);
  return compiled;
}

/**
 * Returns what was compiled when the route of an operation was registered. Throws for an operation without a
 * route.
 */
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

/**
 * Compiles with the first answer: the serialisers of all operations together would take a quarter of the
 * start.
 */
function serialiserOf(schema: JsonObject): NonNullable<CompiledOperation['serialise']> {
  let write: ((body: Envelope) => string) | undefined;
  return (body) => (write ??= fastJsonStringify(schema))(body);
}
