import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { formatTraceParent, parseTraceParent } from './trace-context.js';
import type { Span, SpanStart, Tracer } from './tracing.js';

/** The destination of spans, and their sampling. */
export interface OpenTelemetrySettings {
  /** The URL of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /**
   * The value of `OTEL_TRACES_SAMPLER`: `parentbased_…` or not, and `always_on`, `always_off` or
   * `traceidratio`.
   */
  readonly sampler: string;
  /** From 0 to 1, for samplers with a ratio. */
  readonly ratio: number;
  /** Called at most once a minute while spans are lost. */
  readonly onLost: () => void;
}

const EXPORT_EVERY_MILLISECONDS = 1_000;
const LOG_EVERY_MILLISECONDS = 60_000;

const KINDS: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/**
 * A tracer over OpenTelemetry's SDK, which sends to a collector by OTLP over HTTP. `close` sends the
 * remaining spans.
 */
export function openTelemetry(settings: OpenTelemetrySettings): { readonly tracer: Tracer; close(): Promise<void> } {
  diag.setLogger(
    { error: throttled(settings.onLost), warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...settings.headers },
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName }),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_EVERY_MILLISECONDS })],
  });
  const sdk = provider.getTracer('workforce-hr');
  const tracer: Tracer = {
    start: (name, { kind, parent, attributes = {} }) =>
      asSpan(sdk.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, contextOf(parent))),
  };
  return { tracer, close: () => provider.shutdown() };
}

function contextOf(parent: string | null): typeof ROOT_CONTEXT {
  const parsed = parseTraceParent(parent);
  if (parsed === null) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parsed;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });
}

function asSpan(span: SdkSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceparent: isSampled ? formatTraceParent({ traceId, spanId, isSampled }) : null,
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
}

function samplerOf({ sampler, ratio }: OpenTelemetrySettings): Sampler {
  const own = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return sampler.startsWith('parentbased') ? new ParentBasedSampler({ root: own }) : own;
}

function throttled(log: () => void): () => void {
  let last = -Infinity;
  return () => {
    if (performance.now() - last < LOG_EVERY_MILLISECONDS) return;
    last = performance.now();
    log();
  };
}

function ignore(): void {}
