import type { LocalDate } from '#kernel/dates.js';
import type { ImportSettings as AnyImportSettings } from '#csv-import/import-settings.js';

/** The options of an import of people. */
export interface ImportSettings extends AnyImportSettings {
  /** Whether missing departments, work places and work types are created. */
  readonly createMissing: boolean;
  /**
   * The effective date of changed terms of existing people, for rows without one of their own; null or
   * missing for none.
   */
  readonly effectiveDate?: LocalDate | null;
  /**
   * The column that identifies an existing person. Missing or null: the e-mail address, and a row with
   * another person's staff_id is refused until a column is chosen.
   */
  readonly matchBy?: MatchBy | null;
}

/** The column that identifies an existing person. */
export const MATCHES = ['work_email', 'staff_id'] as const;
export type MatchBy = (typeof MATCHES)[number];
