import type { operations } from './generated/schema.js';

/** The body of a response with its entity tag. */
export type Answer<Body> = Body & {
  /** For `If-Match` of the next write; null if the response has none. */
  readonly entityTag: string | null;
};

/** Options of a call besides its parameters. */
export interface CallOptions {
  /** Aborts the call, including the pauses between its attempts. */
  readonly signal?: AbortSignal;
}

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  /**
   * The client generates one by default. Pass your own if the write must happen once across restarts of your
   * program.
   */
  readonly idempotencyKey?: string;
  /**
   * The entity tag of the last read: the write fails with `precondition_failed` if the resource has changed
   * since.
   */
  readonly ifMatch?: string;
}

/** Required options of a write to an existing person or employment. */
export interface TaggedWriteOptions extends WriteOptions {
  readonly ifMatch: string;
}

/** The query parameters of an operation; those of a list without its cursor. */
export type Query<Id extends keyof operations> = Omit<NonNullable<operations[Id]['parameters']['query']>, 'cursor'>;

/** The body of a write. */
export type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Content } };
}
  ? Content
  : never;

/** The `data` of a success. */
export type Data<Id extends keyof operations, Status extends number> = operations[Id] extends {
  responses: Record<Status, { content: { 'application/json': { data: infer Content } } }>;
}
  ? Content
  : never;

/** The mapping of a method to a request. */
export interface Shape {
  readonly verb: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters in braces. */
  readonly path: string;
  readonly kind: 'single' | 'list' | 'none';
  readonly hasQuery: boolean;
  readonly hasBody: boolean;
}
