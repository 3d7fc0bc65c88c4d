import type { ClientBase } from 'pg';
import { onPulse } from './pulse.js';

/** After this time without a sign of life, the server ends the session and releases its locks. */
export const SESSION_TIMEOUT_MILLISECONDS = 6_000;
/** The heartbeat follows every second pulse, 1.8 s apart. */
const PULSES = 2;
/**
 * An answer that has not come after so many pulses, 2.7 s of an event loop that is on time, is late. With the pause before it less than the session
 * timeout, so that a process that is cut off stops before another one begins. Pulses and not a timer: after a delay of the event loop a timer
 * would be due before the answer, which has arrived meanwhile, is read.
 */
const LATE_PULSES = 3;

/** What the end of a heartbeat may take. */
const RESET_MILLISECONDS = 3_000;

/** Who hears of a session's heartbeat. Times are of `performance.now()`. */
export interface SessionHeartbeatListener {
  /** Called once, if an answer is late, or the connection breaks while one is awaited. */
  readonly onLost: () => void;
  /** Called for every answered heartbeat with the time when it was sent. */
  readonly onBeat?: (sentAt: number) => void;
  /** Called once, with the time when the session timeout was set at the server; until then it ends no silent session. */
  readonly onLimited?: (sentAt: number) => void;
}

/**
 * Sends a heartbeat every 1.8 seconds, which makes the locks of a session a lease: a process that hangs, or whose network is cut,
 * sends nothing, and the server releases its locks. Returns the function that ends the heartbeat; the session then has its former settings, unless it broke.
 */
export async function startSessionHeartbeat(
  connection: ClientBase,
  { onLost, onBeat = () => undefined, onLimited = () => undefined }: SessionHeartbeatListener,
): Promise<() => Promise<void>> {
  let isLimited = false;
  let isOver = false;
  let beating: Promise<void> | null = null;
  let pulsesOfBeat = 0;

  const ask = async (): Promise<void> => {
    const sentAt = performance.now();
    if (isLimited) await connection.query('select');
    else {
      isLimited = true;
      onLimited(sentAt);
      await connection.query(`set idle_session_timeout = ${SESSION_TIMEOUT_MILLISECONDS}`);
    }
    onBeat(sentAt);
  };
  const lose = (): void => {
    endPulse();
    if (!isOver) onLost();
    isOver = true;
  };
  const beat = (): void => {
    pulsesOfBeat = 0;
    beating = ask()
      .catch(lose)
      .finally(() => (beating = null));
  };
  const hear = (pulse: number): void => {
    if (beating === null) {
      if (pulse % PULSES === 0) beat();
      return;
    }
    pulsesOfBeat += 1;
    if (pulsesOfBeat >= LATE_PULSES) lose();
  };

  await ask();
  const endPulse = onPulse(hear);
  return async () => {
    endPulse();
    const wasLost = isOver;
    isOver = true;
    if (wasLost || !isLimited) return;
    await connection.query({ text: 'reset idle_session_timeout', query_timeout: RESET_MILLISECONDS } as { text: string });
  };
}
