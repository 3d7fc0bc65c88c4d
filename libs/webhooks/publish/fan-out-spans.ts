import { type Span, startSpan } from '#tracing/tracing.js';
import type { LoggedEvent } from '../deliver/envelope.js';

/**
 * Runs work with the events. Each traced event gets a span in its own trace, to which its deliveries belong.
 */
export async function inSpans(
  events: readonly LoggedEvent[],
  work: (events: readonly LoggedEvent[]) => Promise<void>,
): Promise<void> {
  const spans: Span[] = [];
  const traced = events.map((event) => {
    const { traceparent = null, type } = event;
    const span =
      traceparent === null
        ? null
        : startSpan('fan-out', { kind: 'producer', parent: traceparent, attributes: { 'workforce.event_type': type } });
    if (span === null) return event;
    spans.push(span);
    return { ...event, traceparent: span.traceparent };
  });
  try {
    await work(traced);
  } catch (error) {
    for (const span of spans) span.fail();
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}
