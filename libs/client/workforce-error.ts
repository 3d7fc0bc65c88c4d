import { secondsOf } from './retrying-fetch.js';

/** One reason for an error: the field, and its problem. */
export interface ErrorDetail {
  readonly field: string;
  readonly issue: string;
}

interface Envelope {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
    readonly details?: readonly ErrorDetail[];
  };
}

/** A response of the service other than a success. */
export class WorkforceError extends Error {
  override readonly name = 'WorkforceError';

  /**
   * @param status - the HTTP status
   * @param code - the kind of error, such as `precondition_failed`; `unknown` if a proxy answered
   * @param requestId - the id by which operators find the request; null if a proxy answered
   * @param headers - those of the response, such as `ratelimit`
   */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: readonly ErrorDetail[],
    readonly headers: Headers = new Headers(),
  ) {
    super(message);
  }

  /** Seconds to wait before the next attempt, from the header `Retry-After`; null without that header. */
  get retryAfter(): number | null {
    const retryAfter = this.headers.get('retry-after');
    return retryAfter === null ? null : secondsOf(retryAfter);
  }

  /** The first reason for this field; undefined if there is none. */
  issueOf(field: string): string | undefined {
    return this.details.find((detail) => detail.field === field)?.issue;
  }

  /** Parses a response other than a success. Also accepts the response of a proxy. */
  static async of(response: Response): Promise<WorkforceError> {
    const text = await response.text();
    const envelope = envelopeOf(text);
    if (envelope === null)
      return new WorkforceError(
        response.status,
        'unknown',
        `The service answered with status ${response.status}.`,
        null,
        [],
        response.headers,
      );
    const { code, message, request_id: requestId, details = [] } = envelope.error;
    return new WorkforceError(response.status, code, message, requestId, details, response.headers);
  }
}

function envelopeOf(text: string): Envelope | null {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null;
    return typeof value?.error?.code === 'string' ? (value as Envelope) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
