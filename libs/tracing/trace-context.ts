/** The position of a span in a trace, as in the W3C header `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly isSampled: boolean;
}

/** Version 00, and later ones that may have further fields (W3C Trace Context, 3.2). */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a `traceparent`; null if it is invalid: the trace then begins here. */
export function parseTraceParent(text: unknown): TraceParent | null {
  if (typeof text !== 'string' || text.length > 512) return null;
  const [, version, traceId, spanId, flags, more] = FORM.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === '00' && more !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The header's text, version 00. */
export function formatTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
