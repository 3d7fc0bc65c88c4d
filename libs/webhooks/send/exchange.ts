import type { IncomingMessage } from 'node:http';

/** The part of a response's body that is stored, in bytes. */
export const KEPT_BODY_BYTES = 1_024;
/** The part of a response's headers that is stored, in bytes: whole lines. */
const KEPT_HEADER_BYTES = 4 * 1_024;

/** Names and values in the order of the message. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The stored part of a receiver's response. The names are the storage format. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: HeaderLines;
  /** The first {@link KEPT_BODY_BYTES} of the body, in base64. */
  readonly body: string;
  readonly is_body_complete: boolean;
}

/**
 * The request and the response of one attempt, without the body of the request, which follows from the event.
 * Times are milliseconds since the attempt began; null for a step that was not reached. The names are the
 * storage format.
 */
export interface Exchange {
  readonly url: string;
  /** Null if nothing was sent. */
  readonly request_headers: HeaderLines | null;
  readonly answer: KeptAnswer | null;
  /** When the name was resolved and its address allowed. */
  readonly resolved_ms: number | null;
  /** When a connection was ready, including TLS; a connection that is reused is ready at once. */
  readonly connected_ms: number | null;
  /** When the headers of the response had arrived. */
  readonly answered_ms: number | null;
}

/** Records the steps of one attempt. */
export class ExchangeRecorder {
  private requestHeaders: HeaderLines | null = null;
  private answer: Omit<KeptAnswer, 'body' | 'is_body_complete'> | null = null;
  private readonly body: Buffer[] = [];
  private bodyBytes = 0;
  private isBodyEnded = false;
  private readonly at: { resolved?: number; connected?: number; answered?: number } = {};

  /** @param startedAt - as of `performance.now()` */
  constructor(
    private readonly url: string,
    private readonly startedAt: number,
  ) {}

  /** Records that a step is reached now, or was at a time of `performance.now()`. */
  reached(step: 'resolved' | 'connected' | 'answered', at = performance.now()): void {
    this.at[step] = Math.round(at - this.startedAt);
  }

  /** Records the headers of a request that is about to be sent. */
  sends(headers: Readonly<Record<string, string>>): void {
    this.requestHeaders = Object.entries(headers);
  }

  /** Records the response, and the beginning of its body as it arrives. */
  receives(response: IncomingMessage): void {
    const { rawHeaders } = response;
    const headers: [string, string][] = [];
    let bytes = 0;
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const [name, value] = [rawHeaders[index]!, rawHeaders[index + 1]!];
      bytes += name.length + value.length;
      if (bytes > KEPT_HEADER_BYTES) break;
      headers.push([name, value]);
    }
    this.answer = { status: response.statusCode!, headers };
    response.on('data', (part: Buffer) => {
      if (this.bodyBytes < KEPT_BODY_BYTES) this.body.push(part.subarray(0, KEPT_BODY_BYTES - this.bodyBytes));
      this.bodyBytes += part.length;
    });
    response.once('end', () => (this.isBodyEnded = true));
  }

  /** The exchange so far. */
  get exchange(): Exchange {
    return {
      url: this.url,
      request_headers: this.requestHeaders,
      answer:
        this.answer === null
          ? null
          : {
              ...this.answer,
              body: Buffer.concat(this.body).toString('base64'),
              is_body_complete: this.isBodyEnded && this.bodyBytes <= KEPT_BODY_BYTES,
            },
      resolved_ms: this.at.resolved ?? null,
      connected_ms: this.at.connected ?? null,
      answered_ms: this.at.answered ?? null,
    };
  }
}
