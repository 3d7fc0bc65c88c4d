import type { CommandServices } from '#commands/services.js';
import type { Clock } from '#kernel/clock.js';
import { PolicyPoint } from '#kernel/policy.js';

/**
 * The time zone of an organisation is set, so its current day may change. Policies run after the change is
 * recorded.
 */
export const timeZoneSet = new PolicyPoint<[services: CommandServices, clock: Clock, organisationId: string]>(
  'the time zone of an organisation is set',
);
