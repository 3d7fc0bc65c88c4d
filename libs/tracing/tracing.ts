import { AsyncLocalStorage } from 'node:async_hooks';

/** The attributes of a span. Never personal data, keys, bodies, or addresses. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The options of a new span. */
export interface SpanStart {
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The `traceparent` of the causing span; null for the first of a trace. */
  readonly parent: string | null;
  readonly attributes?: Attributes;
}

/** A piece of work whose duration is recorded. */
export interface Span {
  /** The `traceparent` for spans that this one causes; null if the trace is not recorded. */
  readonly traceparent: string | null;
  set(attributes: Attributes): void;
  /** Marks it as failed. */
  fail(): void;
  end(): void;
}

/** The destination of spans. */
export interface Tracer {
  start(name: string, start: SpanStart): Span;
}

/** The tracer of this process; null without tracing, so that callers can skip work that only spans need. */
export let tracer: Tracer | null = null;
const current = new AsyncLocalStorage<Span>();

/** Sets the destination of this process's spans; null for none, which is the initial state. */
export function traceWith(given: Tracer | null): void {
  tracer = given;
}

/** Begins a span; null without tracing. */
export function startSpan(name: string, start: SpanStart): Span | null {
  return tracer === null ? null : tracer.start(name, start);
}

/** Runs work, with everything that it causes, as part of a span that the caller ends. */
export function within<Result>(span: Span | null, work: () => Result): Result {
  return span === null ? work() : current.run(span, work);
}

/** The `traceparent` of the current span; null if there is none, or its trace is not recorded. */
export function currentTraceparent(): string | null {
  return tracer === null ? null : (current.getStore()?.traceparent ?? null);
}

/** Runs work in a span of its own, if a recorded one is in progress; otherwise just runs it. */
export function inSpan<Result>(
  name: string,
  start: Omit<SpanStart, 'parent'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const parent = currentTraceparent();
  return parent === null ? work() : during(startSpan(name, { ...start, parent }), work);
}

/** Runs work in a span and ends it; the span has failed if the work throws. */
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
