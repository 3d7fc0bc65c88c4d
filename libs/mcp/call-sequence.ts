import { HttpError } from '#http/errors.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';

/** The maximum number of messages of one request: the revision 2025-11-25 may send several as a batch. */
export const MAX_MESSAGES = 20;
/**
 * The maximum size of the response of a call that reads, in bytes of its JSON: three times a page of 200
 * people.
 */
export const MAX_ANSWER_BYTES = 524_288;
/** The maximum total size of the responses of one request, in bytes of their JSON. */
export const MAX_TOTAL_ANSWER_BYTES = 1_048_576;

/**
 * Runs the calls of one request one after the other. Each costs as much as a request; other requests run in
 * between, and the total size of responses is limited.
 */
export class CallSequence {
  private last: Promise<unknown> = Promise.resolve();
  private isFirst = true;
  private bytes = 0;

  /**
   * @param draw counts a call in the budgets of a request, and throws if one is used up. The first call was
   * counted with its request.
   */
  constructor(private readonly draw: () => Promise<void>) {}

  /** Runs a call after the previous calls have ended. Throws its errors; 429 and 400 if it may not begin. */
  take<Result>(call: () => Promise<Result> | Result): Promise<Result> {
    const turn = this.last.then(() => this.begin()).then(call);
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** Counts the response of a call that reads. Throws a 400 with advice on how to request less. */
  answerRead(json: string): void {
    const bytes = Buffer.byteLength(json);
    if (bytes > MAX_ANSWER_BYTES) {
      throw tooLarge(
        `The answer has ${bytes} bytes, and the maximum for a call is ${MAX_ANSWER_BYTES}. Request less: a smaller ` +
          'limit, fewer days or a narrower filter.',
      );
    }
    if (this.bytes + bytes > MAX_TOTAL_ANSWER_BYTES) throw fullBatch();
    this.bytes += bytes;
  }

  /** Counts the response of a call that wrote: the write has happened, so it is always answered. */
  answerWrite(json: string): void {
    this.bytes += Buffer.byteLength(json);
  }

  private async begin(): Promise<void> {
    if (this.isFirst) {
      this.isFirst = false;
      return;
    }
    await this.draw();
    await yieldToEventLoop();
    if (this.bytes >= MAX_TOTAL_ANSWER_BYTES) throw fullBatch();
  }
}

function fullBatch(): HttpError {
  return tooLarge(
    `The answers of this batch have more than ${MAX_TOTAL_ANSWER_BYTES} bytes together. Request less, or send the ` +
      'rest in requests of their own.',
  );
}

function tooLarge(message: string): HttpError {
  return new HttpError('invalid_request', { message });
}
