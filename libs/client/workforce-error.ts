import { secondsOf } from './retrying-fetch.js';

/** One reason for an error: the field that it is about, and what is wrong with it. */
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

/** An answer of the service that is no success (contract part 7, "Error envelope"). */
export class WorkforceError extends Error {
  override readonly name = 'WorkforceError';

  /**
   * @param status the HTTP status
   * @param code what kind of error it is, such as `precondition_failed`; `unknown` where something in front
   *   of the service answered
   * @param requestId what operators find the request by; null where something in front of the service
   *   answered
   * @param headers those of the answer, such as `ratelimit`
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

  /** Seconds after which the service asks for the next attempt; null where it does not ask. */
  get retryAfter(): number | null {
    const asked = this.headers.get('retry-after');
    return asked === null ? null : secondsOf(asked);
  }

  /** The first reason that names this field; undefined where none does. */
  issueOf(field: string): string | undefined {
    return this.details.find((detail) => detail.field === field)?.issue;
  }

  /** Reads an answer that is no success. Takes also what a proxy answers in the place of the service. */
  static async of(response: Response): Promise<WorkforceError> {
    const text = await response.text();
    const envelope = envelopeOf(text);
    if (envelope === null)
      return new WorkforceError(
        response.status,
        'unknown',
        `The answer was ${response.status}.`,
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
