import { LRUCache } from 'lru-cache';
import type { AttemptResult } from './delivery-store.js';

/**
 * The behaviour of a receiver as this process knows it. `unproven`: this process has no response of it yet.
 * `prompt`: its last response came in time. `slow`: its last attempt failed on the network or exceeded the
 * limit, or an attempt is exceeding it.
 */
export type Behaviour = 'unproven' | 'prompt' | 'slow';

/** Bounds the memory. A dropped receiver counts as unproven again. */
const REMEMBERED = 20_000;

/**
 * Learns the behaviour of receivers from attempts. The knowledge is in memory: each process learns for
 * itself, and starts with none.
 */
export class Receivers {
  private readonly behaviours = new LRUCache<string, 'prompt' | 'slow'>({ max: REMEMBERED });

  /**
   * @param slowMilliseconds - a receiver that takes longer than this to answer is slow until it answers
   *   sooner
   */
  constructor(private readonly slowMilliseconds: number) {}

  behaviourOf(webhookId: string): Behaviour {
    return this.behaviours.get(webhookId) ?? 'unproven';
  }

  /** Learns from a finished attempt. Returns whether the behaviour has changed. */
  ended(webhookId: string, { failureClass, durationMs }: AttemptResult): boolean {
    return this.learn(webhookId, failureClass === 'network' || durationMs > this.slowMilliseconds ? 'slow' : 'prompt');
  }

  /**
   * Learns from an attempt that is still in progress after `slowMilliseconds`. Returns whether the behaviour
   * has changed.
   */
  overdue(webhookId: string): boolean {
    return this.learn(webhookId, 'slow');
  }

  private learn(webhookId: string, behaviour: 'prompt' | 'slow'): boolean {
    const hasChanged = this.behaviourOf(webhookId) !== behaviour;
    this.behaviours.set(webhookId, behaviour);
    return hasChanged;
  }
}
