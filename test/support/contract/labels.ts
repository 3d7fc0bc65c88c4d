import { randomUUID } from 'node:crypto';

/** Returns a unique label. */
export function newLabel(): string {
  return `Label ${randomUUID()}`;
}
