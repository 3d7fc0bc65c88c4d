import type { Logger } from '#configuration/logger.js';
import { messageOf } from '#database/error-code.js';

/** A part of the running program. */
export interface Part {
  readonly name: string;
  /**
   * Called before parts are stopped: callers should stop using the part, and it still serves those that do
   * not.
   */
  drain?(): void;
  /** Ends the part; what it accepted is finished first. */
  stop(): Promise<void>;
}

/**
 * Stops the stages one after the other, and the parts of a stage together. A part that fails or exceeds the
 * remaining time does not keep later parts from stopping. Returns whether all parts stopped in order.
 */
export async function stopInOrder(
  stages: readonly (readonly Part[])[],
  milliseconds: number,
  logger: Logger,
): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  let clean = true;
  for (const [index, stage] of stages.entries()) {
    // The first stage finishes requests. It leaves some of the time to the stages that only close.
    const reserved = index === stages.length - 1 ? 0 : RESERVED_SHARE * milliseconds;
    const left = Math.max(MIN_MILLISECONDS, deadline - reserved - Date.now());
    const outcomes = await Promise.all(stage.map((part) => stopWithin(part, left, logger)));
    clean &&= outcomes.every(Boolean);
  }
  return clean;
}

const RESERVED_SHARE = 0.25;
const MIN_MILLISECONDS = 100;

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
