import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { LocalDate } from '#kernel/dates.js';
import type { CommandServices } from '#commands/services.js';
import type { ColumnSettings } from './columns.js';

/** The settings of any import. */
export interface ImportSettings extends ColumnSettings {
  readonly pool: Pool;
  readonly services: CommandServices;
  /**
   * The organisation and the actor of the import; ids derive from the rows, never from the context's seed.
   */
  readonly context: CommandContext;
  /** The date in the organisation's time zone. */
  readonly today: () => LocalDate;
  /**
   * Whether to report and count without writing anything, including reservations of ids, addresses and
   * names.
   */
  readonly dryRun: boolean;
  /** Progress callbacks: the rows read, and the processed rows out of all. */
  readonly onRead: (rows: number) => void;
  readonly onSettled: (rows: number, total: number) => void;
}
