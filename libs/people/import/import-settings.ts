import type { LocalDate } from '#kernel/dates.js';
import type { ImportSettings as AnyImportSettings } from '#csv-import/import-settings.js';

/** How an import of people runs. */
export interface ImportSettings extends AnyImportSettings {
  /** Whether missing departments, work places and work types are created. */
  readonly createMissing: boolean;
  /**
   * The day from which the terms of people who are there already hold, where a row has none of its own; null
   * or missing for none.
   */
  readonly effectiveDate?: LocalDate | null;
  /**
   * What names a person who is there already. Missing or null: the e-mail address, and a row whose staff_id
   * is another person's is refused until one of the two is said.
   */
  readonly matchBy?: MatchBy | null;
}

/** What names a person who is there already. */
export const MATCHES = ['work_email', 'staff_id'] as const;
export type MatchBy = (typeof MATCHES)[number];
