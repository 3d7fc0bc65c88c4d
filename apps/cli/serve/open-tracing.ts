import type { Configuration } from '#configuration/configuration.js';
import type { Logger } from '#configuration/logger.js';
import { traceWith } from '#tracing/tracing.js';

/**
 * Sends the spans of this process to the collector of the configuration. Without one it returns null and
 * loads nothing.
 */
export async function openTracing(
  configuration: Configuration,
  logger: Logger,
): Promise<{ stop(): Promise<void> } | null> {
  const { tracesEndpoint, tracesHeaders, tracesServiceName, tracesSampler, tracesSamplerArgument } = configuration;
  if (tracesEndpoint === null) return null;
  const { openTelemetry } = await import('#tracing/open-telemetry.js');
  const { tracer, close } = openTelemetry({
    endpoint: tracesEndpoint,
    headers: Object.fromEntries((tracesHeaders?.split(',') ?? []).map(pairOf)),
    serviceName: tracesServiceName,
    sampler: tracesSampler,
    ratio: Number(tracesSamplerArgument ?? 1),
    onLost: () => logger.warn('traces could not be sent to the collector and are lost'),
  });
  traceWith(tracer);
  return {
    stop: async () => {
      traceWith(null);
      await close();
    },
  };
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at).trim(), decodeURIComponent(text.slice(at + 1).trim())];
}
