import type { WholeIdentity } from '../person/person.decider.js';
import type { Terms } from '../employment/timeline.js';

/** The first data of a new person. */
export interface NewPerson {
  readonly identity: WholeIdentity;
  readonly startDate: string | null;
  readonly terms: Terms;
}
