import type { Schemas } from '../../data/client.js';
import type { Tone } from '../../ui/state-badge.js';

/** The tone of each status of time off. */
export const TONES: Readonly<Record<Schemas['TimeOffResponse']['status_code'], Tone>> = {
  pending: 'watch',
  approved: 'good',
  rejected: 'bad',
  cancelled: 'quiet',
};
