import type { Position as LogPosition } from '@eventstore/db-client';
import type { Position } from '../event-store.js';

/** A position of EventStoreDB is a byte offset of up to 64 bits. */
const DIGITS = 20;

/** A position as text that sorts like its numbers: commit and prepare position, twenty digits each. */
export function textOf({ commit, prepare }: LogPosition): Position {
  return `${commit.toString().padStart(DIGITS, '0')}.${prepare.toString().padStart(DIGITS, '0')}`;
}

/** Parses the numbers of a position. Throws RangeError for text that no EventStoreDB store returned. */
export function logPositionOf(position: Position): LogPosition {
  const match = /^(\d{20})\.(\d{20})$/.exec(position);
  if (match === null) throw new RangeError(`${position} is not a position of this event store`);
  return { commit: BigInt(match[1]!), prepare: BigInt(match[2]!) };
}
