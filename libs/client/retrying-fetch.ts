/** The rules of retries. */
export interface RetryOptions {
  /** The maximum number of attempts, including the first; 4 by default, 1 for no retry. */
  readonly attempts?: number;
  /**
   * The maximum pause between two attempts, in milliseconds: the client gives up if the service requests a
   * longer one. 60,000 by default, which is one window of a rate limit.
   */
  readonly longestPause?: number;
  /** Waits this number of milliseconds, or less if the signal aborts; a timer by default. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0 to 1 (exclusive) for the jitter of pauses; `Math.random` by default. */
  readonly random?: () => number;
}

type Fetch = (request: Request) => Promise<Response>;

/** Statuses after which the same request may succeed later; 502 and 504 come from proxies. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const FIRST_PAUSE = 250;

/**
 * Retries a request after a network failure and after a temporary error, with growing pauses, or the pause of
 * `Retry-After` (RFC 9110, section 10.2.3). It repeats reads, and writes that have an `Idempotency-Key`: the
 * service performs those once.
 */
export function retryingFetch(send: Fetch, options: RetryOptions = {}, timeout = 30_000): Fetch {
  const { attempts = 4, longestPause = 60_000, wait = waitFor, random = Math.random } = options;
  return async (request) => {
    if (!isRepeatable(request)) return send(timed(request, timeout));
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOf(send, timed(request.clone(), timeout));
      const pause = pauseAfter(outcome, attempt, random);
      const isLast = attempt >= attempts || pause === null || pause > longestPause || request.signal.aborted;
      if (isLast) {
        if (outcome instanceof Response) return outcome;
        throw outcome.error;
      }
      await wait(pause, request.signal);
      request.signal.throwIfAborted();
    }
  };
}

function isRepeatable({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || headers.has('idempotency-key');
}

async function attemptOf(send: Fetch, request: Request): Promise<Response | { readonly error: unknown }> {
  try {
    return await send(request);
  } catch (error) {
    return { error };
  }
}

/** Milliseconds until the next attempt; null for no retry. */
function pauseAfter(
  outcome: Response | { readonly error: unknown },
  attempt: number,
  random: () => number,
): number | null {
  const growing = FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + random() / 2);
  if (!(outcome instanceof Response)) return isOfNetwork(outcome.error) ? growing : null;
  const retryAfter = outcome.headers.get('retry-after');
  // 409 with Retry-After means that a request with the same key is in progress.
  if (outcome.status === 409) return retryAfter === null ? null : secondsOf(retryAfter) * 1_000;
  if (!TEMPORARY.has(outcome.status)) return null;
  return retryAfter === null ? growing : Math.max(growing, secondsOf(retryAfter) * 1_000);
}

/**
 * fetch throws a TypeError if the network fails, and a TimeoutError if the attempt took too long; other
 * errors are the caller's.
 */
function isOfNetwork(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}

function timed(request: Request, milliseconds: number): Request {
  return new Request(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(milliseconds)]) });
}

/** The seconds of a `Retry-After` header; 0 for an invalid one. */
export function secondsOf(retryAfter: string): number {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const instant = Date.parse(retryAfter);
  return Number.isNaN(instant) ? 0 : Math.max(0, (instant - Date.now()) / 1_000);
}

function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
