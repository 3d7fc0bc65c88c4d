import { randomUUID } from 'node:crypto';

/** A label that nothing else has. */
export function newLabel(): string {
  return `Label ${randomUUID()}`;
}
