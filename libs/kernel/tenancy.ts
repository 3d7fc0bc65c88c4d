/** Plans in ascending order; they limit what an organisation may do (contract part 1, "Plan rules"). */
export const PLANS = ['starter', 'standard', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** The data that a key gives access to: the organisation's own, or a synthetic tenant's (contract part 5). */
export type KeyEnvironment = 'live' | 'sandbox';
