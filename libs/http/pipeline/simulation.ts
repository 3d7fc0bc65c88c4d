import { type ErrorCode, HttpError, invalidField, unavailable } from '../errors.js';
import type { Operation } from '../operation.js';
import { errorAnswersOf } from '../operations/answer-statuses.js';

/**
 * The outcome that a caller of the sandbox requests with the header `Sandbox-Simulate`
 * (docs/reference/sandbox.md).
 */
export interface Simulation {
  /** The text of the header, repeated in the log and the response. */
  readonly text: string;
  /** The latency before processing, in milliseconds: 0 to {@link MAX_LATENCY_MILLISECONDS}. */
  readonly latencyMilliseconds: number;
  readonly outcome: Outcome | null;
}

/**
 * An `early` outcome occurs where the real one would, before the body is read; `rate_limited` reports the
 * key's budget as used up. A `late` outcome occurs where the domain would refuse, so that the receipt of the
 * idempotency key is stored as usual. With `lost_answer`, the request is executed and the connection closes
 * without a response.
 */
const OUTCOMES = {
  authentication_required: 'early',
  permission_denied: 'early',
  rate_limited: 'early',
  internal_error: 'early',
  service_unavailable: 'early',
  not_found: 'late',
  conflict: 'late',
  precondition_failed: 'late',
  lost_answer: 'answer',
} as const;

export type Outcome = keyof typeof OUTCOMES;

/** Less than the time limit of a request. */
export const MAX_LATENCY_MILLISECONDS = 20_000;

/** The request header that requests an outcome. */
export const SIMULATE_HEADER = 'Sandbox-Simulate';
/** The response header that repeats the requested outcome. */
export const SIMULATED_HEADER = 'Sandbox-Simulated';
const LATENCY = /^latency=(\d{1,5})$/;

/** Parses the header; null if it is absent. Throws {@link HttpError} 400 for an unknown outcome. */
export function parseSimulation(header: string | readonly string[] | undefined): Simulation | null {
  if (header === undefined) return null;
  let [latencyMilliseconds, outcome]: [number, Outcome | null] = [0, null];
  const parts = String(header)
    .split(',')
    .map((part) => part.trim());
  for (const part of parts) {
    const milliseconds = LATENCY.exec(part)?.[1];
    if (milliseconds !== undefined && Number(milliseconds) <= MAX_LATENCY_MILLISECONDS)
      latencyMilliseconds = Number(milliseconds);
    else if (Object.hasOwn(OUTCOMES, part) && outcome === null) outcome = part as Outcome;
    else throw invalidField(SIMULATE_HEADER, ISSUE);
  }
  return { text: parts.join(', '), latencyMilliseconds, outcome };
}

const ISSUE = `must be latency=0 to latency=${MAX_LATENCY_MILLISECONDS} and at most one of ${Object.keys(OUTCOMES).join(', ')}, with a comma between them`;

/** Returns the requested error of this stage; null if the request has none for it. */
export function simulatedError(simulation: Simulation | null, stage: 'early' | 'late'): HttpError | null {
  const outcome = simulation?.outcome ?? null;
  if (outcome === null || OUTCOMES[outcome] !== stage || outcome === 'rate_limited') return null;
  if (outcome === 'service_unavailable') return unavailable(undefined);
  const headers = outcome === 'authentication_required' ? { 'www-authenticate': 'Bearer' } : {};
  return new HttpError(outcome as ErrorCode, { headers });
}

/** Throws {@link HttpError} 400 if the operation never has this outcome: clients need not handle it. */
export function assertPossible({ outcome }: Simulation, operation: Operation): void {
  if (outcome === null || outcome === 'service_unavailable') return;
  const isWrite = operation.write !== undefined;
  const isPossible =
    outcome === 'lost_answer' ? isWrite : errorAnswersOf(operation).some(({ codes }) => codes.includes(outcome));
  if (!isPossible) throw invalidField(SIMULATE_HEADER, `${operation.operationId} never answers ${outcome}`);
}

/** Throws {@link HttpError} 400 for an outcome of an operation, if the request does not run exactly one. */
export function assertEarly({ outcome }: Simulation, endpoint: string): void {
  if (outcome !== null && OUTCOMES[outcome] !== 'early')
    throw invalidField(SIMULATE_HEADER, `${endpoint} never answers ${outcome}`);
}
