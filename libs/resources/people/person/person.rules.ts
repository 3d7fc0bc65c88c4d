import { ERASED } from './person.decider.js';

/** What a work e-mail address reads as after erasure: no mail goes there (RFC 2606), and it has the form that readers were promised. */
export const ERASED_ADDRESS = 'erased@erased.invalid';

/** A work e-mail address as answers show it. */
export function shownAddress(workEmail: string): string {
  return workEmail === ERASED ? ERASED_ADDRESS : workEmail;
}
