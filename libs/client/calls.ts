import type { operations } from './generated/schema.js';

/** The body of an answer with its entity tag. */
export type Answer<Body> = Body & {
  /** For `If-Match` of the next write; null where the answer has none. */
  readonly entityTag: string | null;
};

/** What a call may add to its parameters. */
export interface CallOptions {
  /** Ends the call, the pauses between its attempts included. */
  readonly signal?: AbortSignal;
}

/** What a write may add. */
export interface WriteOptions extends CallOptions {
  /**
   * The client makes one where none is given. Give your own where the write must happen once across restarts
   * of your program.
   */
  readonly idempotencyKey?: string;
  /**
   * The entity tag of the last read: the write fails with `precondition_failed` where the resource has
   * changed since.
   */
  readonly ifMatch?: string;
}

/** What a write to an existing person or employment must add. */
export interface TaggedWriteOptions extends WriteOptions {
  readonly ifMatch: string;
}

/** The parameters in the query of an operation; those of a list without its cursor. */
export type Query<Id extends keyof operations> = Omit<NonNullable<operations[Id]['parameters']['query']>, 'cursor'>;

/** The body of a write. */
export type Body<Id extends keyof operations> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Content } };
}
  ? Content
  : never;

/** What a success shows as `data`. */
export type Data<Id extends keyof operations, Status extends number> = operations[Id] extends {
  responses: Record<Status, { content: { 'application/json': { data: infer Shown } } }>;
}
  ? Shown
  : never;

/** How a method becomes a request. */
export interface Shape {
  readonly verb: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters in braces. */
  readonly path: string;
  readonly kind: 'single' | 'list' | 'none';
  readonly hasQuery: boolean;
  readonly hasBody: boolean;
}
