/** Plans in ascending order: what an organisation may do (contract part 1, "Plan rules"). */
export const PLANS = ['starter', 'standard', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Where a key works: the organisation's own data, or the synthetic tenant (contract part 5). */
export type KeyEnvironment = 'live' | 'sandbox';
