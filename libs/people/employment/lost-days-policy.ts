import type { WritingServices } from '#commands/services.js';
import type { UnitContext } from '#commands/unit-of-work.js';
import { PolicyPoint } from '#kernel/policy.js';
import type { Fact } from './timeline.js';

/**
 * A fact removes days of a person's employment. Policies stage what follows in its unit of work; they get the
 * facts of the employment, with those that the unit records.
 */
export const employmentLosesDays = new PolicyPoint<
  [services: WritingServices, context: UnitContext, personId: string, facts: readonly Fact[]]
>('employment loses days');
