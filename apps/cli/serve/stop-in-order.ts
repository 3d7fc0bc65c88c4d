import type { Logger } from '#configuration/logger.js';
import { messageOf } from '#database/error-code.js';

/** A part of the running program. */
export interface Part {
  readonly name: string;
  /** Called before parts are stopped: no caller should turn to it any more, and one that does is served. */
  drain?(): void;
  /** Ends the part; what it accepted is finished first. */
  stop(): Promise<void>;
}

/**
 * Stops the stages one after the other and the parts of a stage together. A part that takes longer than is left, or
 * fails, does not keep those after it from stopping. True where all went well.
 */
export async function stopInOrder(stages: readonly (readonly Part[])[], milliseconds: number, logger: Logger): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  let clean = true;
  for (const [index, stage] of stages.entries()) {
    // The first stage, which finishes requests, leaves some of the time to those that only close.
    const reserved = index === stages.length - 1 ? 0 : RESERVED_SHARE * milliseconds;
    const left = Math.max(MINIMUM_MILLISECONDS, deadline - reserved - Date.now());
    const outcomes = await Promise.all(stage.map((part) => stopWithin(part, left, logger)));
    clean &&= outcomes.every(Boolean);
  }
  return clean;
}

const RESERVED_SHARE = 0.25;
const MINIMUM_MILLISECONDS = 100;

async function stopWithin(part: Part, milliseconds: number, logger: Logger): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not stopped within ${Math.round(milliseconds)} ms`)), milliseconds);
  });
  try {
    await Promise.race([part.stop(), late]);
    return true;
  } catch (error) {
    logger.error({ part: part.name, reason: messageOf(error) }, 'a part did not stop in order');
    return false;
  } finally {
    clearTimeout(timer);
  }
}
