import type { ClientBase } from 'pg';
import { onPulse } from './pulse.js';

/** After this time without a sign of life, the server ends the session and releases its locks. */
export const SESSION_TIMEOUT_MILLISECONDS = 6_000;
/** The heartbeat follows every second pulse, 1.8 s apart. */
const PULSES = 2;
/** With the pause before it less than the session timeout, so that a process that is cut off stops before another one begins. */
const ANSWER_MILLISECONDS = 3_000;

/**
 * Sends a heartbeat every 1.8 seconds, which makes the locks of a session a lease: a process that hangs, or whose network is cut,
 * sends nothing, and the server releases its locks. `onLost` is called once, if an answer is late, as after a pause of the
 * process. `onBeat` is called for every answered heartbeat with the time when it was sent (`performance.now()`). Returns the
 * function that ends the heartbeat; the session then has its former settings, unless it broke.
 */
export async function startSessionHeartbeat(
  connection: ClientBase,
  onLost: () => void,
  onBeat: (sentAt: number) => void = () => undefined,
): Promise<() => Promise<void>> {
  await connection.query(`set idle_session_timeout = ${SESSION_TIMEOUT_MILLISECONDS}`);
  let isOver = false;
  let beating: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    const sentAt = performance.now();
    try {
      await connection.query({ text: 'select', query_timeout: ANSWER_MILLISECONDS } as { text: string });
      onBeat(sentAt);
    } catch {
      endPulse();
      if (!isOver) onLost();
      isOver = true;
    }
  };
  const beatInTurn = (): void => {
    if (!isOver) beating = beating.then(beat);
  };
  const endPulse = onPulse((pulse) => {
    if (pulse % PULSES === 0) beatInTurn();
  });
  return async () => {
    endPulse();
    const wasLost = isOver;
    isOver = true;
    await beating;
    if (!wasLost) await connection.query({ text: 'reset idle_session_timeout', query_timeout: ANSWER_MILLISECONDS } as { text: string });
  };
}
