import type { TimeOffCategoryRow } from '../category/time-off-category.table.js';

/** Whether a category says how far below zero its balance may go, so that whoever uses it up takes turns. */
export function hasLimit(category: Pick<TimeOffCategoryRow, 'deducts_balance' | 'negative_balance_minutes'>): boolean {
  return category.deducts_balance && category.negative_balance_minutes !== null;
}

/** The turn that everybody takes who uses up, or adjusts, a balance with a limit. */
export function balanceTurn(organisationId: string, personId: string): string {
  return `time-off balance ${organisationId}.${personId}`;
}
