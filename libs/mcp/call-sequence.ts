import { HttpError } from '#http/errors.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';

/** The most messages of one request: the revision 2025-11-25 may send several as a batch. */
export const MAX_MESSAGES = 20;
/** The largest answer of a call that reads, in bytes of its JSON: a page of 200 people has a third of it. */
export const MAX_ANSWER_BYTES = 524_288;
/** What the answers of one request may have together, in bytes of their JSON. */
export const MAX_TOTAL_ANSWER_BYTES = 1_048_576;

/**
 * Runs the calls of one request one after the other. Each costs what a request costs; requests of others get
 * their turn in between, and what all of them answer is bounded.
 */
export class CallSequence {
  private last: Promise<unknown> = Promise.resolve();
  private isFirst = true;
  private bytes = 0;

  /**
   * @param draw draws from the budgets of a request, and throws where one is used up. The first call was
   *   drawn with its request.
   */
  constructor(private readonly draw: () => Promise<void>) {}

  /**
   * Runs a call when the calls before it have ended. Throws what it throws; 429 and 400 where it may not
   * begin.
   */
  take<Result>(call: () => Promise<Result> | Result): Promise<Result> {
    const turn = this.last.then(() => this.begin()).then(call);
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** Counts what a call that reads is about to answer. Throws a 400 that says how to ask for less. */
  answerRead(json: string): void {
    const bytes = Buffer.byteLength(json);
    if (bytes > MAX_ANSWER_BYTES) {
      throw tooLarge(
        `The answer has ${bytes} bytes, and the largest answer of a call has ${MAX_ANSWER_BYTES}. Ask for less: a smaller limit, fewer days or a narrower filter.`,
      );
    }
    if (this.bytes + bytes > MAX_TOTAL_ANSWER_BYTES) throw fullBatch();
    this.bytes += bytes;
  }

  /** Counts what a call that wrote answers: it has happened, so that it is always answered. */
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
    `The answers of this batch have more than ${MAX_TOTAL_ANSWER_BYTES} bytes together. Ask for less, or send the rest in requests of their own.`,
  );
}

function tooLarge(message: string): HttpError {
  return new HttpError('invalid_request', { message });
}
