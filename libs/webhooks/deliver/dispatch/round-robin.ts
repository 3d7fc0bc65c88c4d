import type { Lane } from './lane.js';

/**
 * The lanes that wait for a slot of one pool, in round-robin order: organisations alternate, however many lanes each of them has, and
 * within an organisation its lanes alternate.
 */
export class RoundRobin {
  private readonly organisations = new Map<string, Map<string, Lane>>();

  /** The number of lanes that wait. */
  size = 0;

  /** Adds a lane at the end. A lane that waits already keeps its position. */
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

  /** Moves a lane that has been served behind the others of its organisation, and its organisation behind the other organisations. */
  moveToEnd(lane: Lane): void {
    const lanes = this.organisations.get(lane.organisationId);
    if (lanes?.delete(lane.key) !== true) return;
    lanes.set(lane.key, lane);
    this.organisations.delete(lane.organisationId);
    this.organisations.set(lane.organisationId, lanes);
  }

  /** The waiting lanes in the order in which they are served. */
  inOrder(): readonly Lane[] {
    return [...this.organisations.values()].flatMap((lanes) => [...lanes.values()]);
  }
}
