import type { Lane } from './lane.js';

/**
 * Lanes that wait for a place of one pool, in turns: organisations one after the other, however many lanes each has, and the lanes of
 * an organisation one after the other.
 */
export class Turns {
  private readonly organisations = new Map<string, Map<string, Lane>>();

  /** How many lanes wait. */
  size = 0;

  /** A lane that waits already keeps its turn. */
  add(lane: Lane): void {
    const lanes = this.organisations.get(lane.organisationId) ?? new Map<string, Lane>();
    this.organisations.set(lane.organisationId, lanes);
    if (lanes.has(lane.key)) return;
    lanes.set(lane.key, lane);
    this.size += 1;
  }

  remove(lane: Lane): void {
    const lanes = this.organisations.get(lane.organisationId);
    if (lanes?.delete(lane.key) !== true) return;
    this.size -= 1;
    if (lanes.size === 0) this.organisations.delete(lane.organisationId);
  }

  has(lane: Lane): boolean {
    return this.organisations.get(lane.organisationId)?.has(lane.key) ?? false;
  }

  /** Its turn was now: it goes behind the others of its organisation, and that behind the other organisations. */
  hadTurn(lane: Lane): void {
    const lanes = this.organisations.get(lane.organisationId);
    if (lanes?.delete(lane.key) !== true) return;
    lanes.set(lane.key, lane);
    this.organisations.delete(lane.organisationId);
    this.organisations.set(lane.organisationId, lanes);
  }

  /** All of them as their turns are at this moment. */
  inOrder(): readonly Lane[] {
    return [...this.organisations.values()].flatMap((lanes) => [...lanes.values()]);
  }
}
