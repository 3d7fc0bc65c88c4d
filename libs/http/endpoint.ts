import 'reflect-metadata';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Scope } from '#kernel/scopes.js';
import type { HttpError } from './errors.js';
import { type Checked, compileBodyCheck, compileTextCheck, type TextValues } from './fields/check.js';
import type { ShapeClass } from './fields/shape.js';
import type { PeopleAccess } from './people-access.js';

/** The declaration of a route that is no operation of the contract. */
export interface EndpointOptions {
  /**
   * Its name in logs and metrics, in camelCase; absent for public pages, which count as requests without a
   * name.
   */
  readonly name?: string;
  /**
   * The callers that it admits: the console has sessions, AI clients have API keys or tokens of users. `all`
   * admits sessions and API keys. `public` needs neither: only pages, and the routes by which users sign in.
   */
  readonly callers: 'ai_clients' | 'sessions' | 'all' | 'public';
  /** The scopes that a caller needs, in the order in which they are checked; none by default. */
  readonly scopes?: readonly Scope[];
  /** How it treats people for the roles by relation; without it, they may not call it. */
  readonly people?: PeopleAccess;
  /**
   * Whether it writes: its call then has a command context. It needs a plan and an approval, but for
   * `under_any_plan`, which is for what ends access. It answers from the command's result by `send`, or sends
   * its commands with `withoutReceipt`.
   */
  readonly writes?: true | 'under_any_plan';
  /**
   * Path parameters. Malformed ids in them are ids of no resource. Without a class, the texts are passed on.
   */
  readonly parameters?: ShapeClass;
  /** Without a class, the texts are passed on. */
  readonly query?: ShapeClass;
  /** Without a class, the JSON of the body is passed on. */
  readonly body?: ShapeClass;
  /** Writes a refusal in the form of the protocol; in the envelope by default. */
  readonly errorBody?: (error: HttpError, requestId: string) => string;
  /**
   * Whether it is reached only by a link that the service signed, so that addresses need no budget for it.
   */
  readonly hasSignedLink?: true;
  /** Whether a GET excludes HEAD, because it has side effects or its headers have no use alone. */
  readonly excludesHead?: true;
}

/** An endpoint as the pipeline uses it. */
export interface Endpoint extends EndpointOptions {
  readonly checkParameters: (values: TextValues) => Checked;
  readonly checkQuery: (values: TextValues) => Checked;
  readonly checkBody: (body: unknown) => Checked;
}

const ENDPOINT = Symbol('endpoint');

/**
 * Declares a route that is no operation of the contract, next to Nest's @Get, @Post and so on. Guards and
 * pipe read it; `Receive` passes the call. The handler returns the whole body, and sets another status than
 * Nest's by `@HttpCode`.
 */
export function Endpoint(options: EndpointOptions): MethodDecorator {
  const { parameters, query, body } = options;
  const endpoint: Endpoint = {
    ...options,
    checkParameters: parameters === undefined ? unchecked : compileTextCheck(parameters),
    checkQuery: query === undefined ? unchecked : compileTextCheck(query),
    checkBody: body === undefined ? unchecked : compileBodyCheck(body),
  };
  return (prototype, name, descriptor) => {
    Reflect.defineMetadata(ENDPOINT, endpoint, descriptor.value as object);
    RouteConfig({ endpoint })(prototype, name, descriptor);
  };
}

/** Returns the endpoint that was declared for a controller's method. */
export function endpointOf(handler: object): Endpoint | undefined {
  return Reflect.getMetadata(ENDPOINT, handler) as Endpoint | undefined;
}

function unchecked(value: unknown): Checked {
  return { value, issues: [] };
}
