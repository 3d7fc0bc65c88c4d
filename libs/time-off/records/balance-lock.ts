import type { TimeOffCategoryRow } from '../category/time-off-category.js';

/**
 * Whether a category limits how far below zero its balance may go, so that writes that use the balance need
 * the advisory lock.
 */
export function hasLimit(category: Pick<TimeOffCategoryRow, 'deducts_balance' | 'negative_balance_minutes'>): boolean {
  return category.deducts_balance && category.negative_balance_minutes !== null;
}

/** The name of the advisory lock for every write that uses up or adjusts a balance with a limit. */
export function balanceLock(organisationId: string, personId: string): string {
  return `time-off balance ${organisationId}.${personId}`;
}
