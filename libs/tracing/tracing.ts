import { AsyncLocalStorage } from 'node:async_hooks';

/** What a span says besides its name. Never personal data, keys, bodies, nor addresses. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** How a span begins. */
export interface SpanStart {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The `traceparent` of the span that made this one happen; null for the first of a trace. */
  readonly parent: string | null;
  readonly attributes?: Attributes;
}

/** A piece of work whose duration is recorded. */
export interface Span {
  /** What those whom it makes happen name as their parent; null where the trace is not recorded. */
  readonly traceparent: string | null;
  set(attributes: Attributes): void;
  /** Marks it as failed. */
  fail(): void;
  end(): void;
}

/** Where spans go. */
export interface Tracer {
  start(name: string, start: SpanStart): Span;
}

/**
 * The tracer of this process; null where nothing is traced, so that callers can leave out what only a span
 * needs.
 */
export let tracer: Tracer | null = null;
const current = new AsyncLocalStorage<Span>();

/** Where the spans of this process go from here on; null for nowhere, which is how a process begins. */
export function traceWith(given: Tracer | null): void {
  tracer = given;
}

/** Begins a span; null where nothing is traced. */
export function startSpan(name: string, start: SpanStart): Span | null {
  return tracer === null ? null : tracer.start(name, start);
}

/** Runs work, and what it leads to, as part of a span that the caller ends. */
export function within<Result>(span: Span | null, work: () => Result): Result {
  return span === null ? work() : current.run(span, work);
}

/**
 * The `traceparent` of the span that is in progress; null where there is none, or its trace is not recorded.
 */
export function currentTraceparent(): string | null {
  return tracer === null ? null : (current.getStore()?.traceparent ?? null);
}

/** Does work in a span of its own, where a recorded one is in progress; else just does it. */
export function inSpan<Result>(
  name: string,
  start: Omit<SpanStart, 'parent'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const parent = currentTraceparent();
  return parent === null ? work() : during(startSpan(name, { ...start, parent }), work);
}

/** Does work in a span and ends it; it has failed where the work throws. */
export async function during<Result>(span: Span | null, work: () => Promise<Result>): Promise<Result> {
  if (span === null) return work();
  try {
    return await current.run(span, work);
  } catch (error) {
    span.fail();
    throw error;
  } finally {
    span.end();
  }
}
