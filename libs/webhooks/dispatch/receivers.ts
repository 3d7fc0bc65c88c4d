import { LRUCache } from 'lru-cache';
import type { AttemptResult } from '../delivery-store.js';

/**
 * What this process knows of a receiver. `unproven`: it has not answered here yet; `prompt`: it answered in time when it was last
 * asked; `slow`: it did not answer, or took long.
 */
export type Manner = 'unproven' | 'prompt' | 'slow';

/** Receivers whose manner is remembered; whoever is forgotten has to prove itself again. */
const REMEMBERED = 20_000;

/** Learns from attempts how receivers behave. In memory: each process learns for itself, and anew after a start. */
export class Receivers {
  private readonly manners = new LRUCache<string, 'prompt' | 'slow'>({ max: REMEMBERED });

  /** @param slowMilliseconds - a receiver that takes longer to answer is slow until it answers sooner */
  constructor(private readonly slowMilliseconds: number) {}

  mannerOf(webhookId: string): Manner {
    return this.manners.get(webhookId) ?? 'unproven';
  }

  /** An attempt has ended. Gives whether the receiver's manner is another one now. */
  ended(webhookId: string, { failureClass, durationMs }: AttemptResult): boolean {
    return this.learn(webhookId, failureClass === 'network' || durationMs > this.slowMilliseconds ? 'slow' : 'prompt');
  }

  /** An attempt goes on for longer than a prompt receiver takes. Gives whether the receiver's manner is another one now. */
  overdue(webhookId: string): boolean {
    return this.learn(webhookId, 'slow');
  }

  private learn(webhookId: string, manner: 'prompt' | 'slow'): boolean {
    const isNew = this.mannerOf(webhookId) !== manner;
    this.manners.set(webhookId, manner);
    return isNew;
  }
}
