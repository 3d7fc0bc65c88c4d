import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { LocalDate } from '#kernel/dates.js';
import type { CommandServices } from '#commands/execute.js';

/** How an import runs, whatever it imports. */
export interface ImportSettings {
  readonly pool: Pool;
  readonly services: CommandServices;
  /** Whose organisation, and who imports; ids derive from the rows, never from its seed. */
  readonly context: CommandContext;
  /** The date in the organisation's time zone. */
  readonly today: () => LocalDate;
  /** Reports and counts, and writes nothing: no ids, addresses or names are reserved either. */
  readonly dryRun: boolean;
  /** Named in reasons of what is recorded. */
  readonly fileName: string;
  /** Called for rows read, and of rows settled out of all. */
  readonly onRead: (rows: number) => void;
  readonly onSettled: (rows: number, total: number) => void;
}
