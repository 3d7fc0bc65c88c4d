import type { WritingServices } from '#commands/services.js';
import type { UnitContext } from '#commands/unit-of-work.js';
import { PolicyPoint } from '#kernel/policy.js';
import type { Fact } from './timeline.js';

/**
 * A fact removes days of a person's employment. Policies stage the consequences in its unit of work; they
 * receive the facts of the employment, including those of the unit.
 */
export const employmentLosesDays = new PolicyPoint<
  [services: WritingServices, context: UnitContext, personId: string, facts: readonly Fact[]]
>('employment loses days');
