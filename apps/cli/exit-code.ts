import { codeOf } from '#database/error-code.js';
import { isUnavailable } from '#database/errors.js';
import { adviceOn } from '#database/sessions/advice.js';

/** The exit codes of `workforce` (docs/reference/cli.md). */
export const EXIT_CODES = {
  /** Done. */
  done: 0,
  /** A check has findings, a part of the work failed, or an unexpected error occurred. */
  failed: 1,
  /** The command line or a setting is wrong; nothing was tried. */
  usage: 2,
  /** A rule, another process or the state of a resource does not allow it. */
  refused: 3,
  /** A resource or a file that the command names does not exist. */
  notFound: 4,
  /** PostgreSQL, the event store or the queue did not answer: the same command may work later. */
  unavailable: 5,
} as const;

type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

const NAMES_OF_REFUSALS = [
  ...['CommandError', 'DataDirectoryError', 'EmbeddedPostgresError', 'DataDirectoryInUseError', 'LockedError'],
  ...['MasterKeyMissingError', 'KeyRingError', 'RestoreUnfinishedError', 'AnotherEventLogError'],
  ...['DatabaseNewerError', 'DatabaseTooOldError', 'MigrationChangedError', 'FormerSchemaError'],
  ...['RestoredOtherwiseError', 'BackupFileError', 'HistoryFileError', 'AnchorFileError', 'ErasureFileError'],
  ...['UnreadableFileError', 'UnknownPositionError', 'RebuildInProgressError', 'RebuildTakenOverError'],
  ...['SandboxBusyError', 'RequestsInFlightError', 'ExpectationFailedError', 'IdempotencyMismatchError'],
  ...['InProgressError', 'UrlRefusedError'],
];

/** By the names of errors, so that a command does not load the modules that throw them. */
const BY_NAME: Readonly<Record<string, ExitCode>> = {
  UsageError: EXIT_CODES.usage,
  ConfigurationError: EXIT_CODES.usage,
  EventStoreUrlError: EXIT_CODES.usage,
  NotFoundError: EXIT_CODES.notFound,
  StoreUnavailableError: EXIT_CODES.unavailable,
  JobsUnavailableError: EXIT_CODES.unavailable,
  ...Object.fromEntries(NAMES_OF_REFUSALS.map((name) => [name, EXIT_CODES.refused] as const)),
};

const BY_REJECTION: Readonly<Record<string, ExitCode>> = {
  invalid_request: EXIT_CODES.usage,
  not_found: EXIT_CODES.notFound,
  conflict: EXIT_CODES.refused,
  precondition_failed: EXIT_CODES.refused,
  permission_denied: EXIT_CODES.refused,
};

/**
 * SQLSTATE of a wrong password, of a role or a database that does not exist, and of a role without permission
 * in the database.
 */
const NO_WAY_IN = new Set(['28P01', '28000', '3D000', '42501']);

/** The exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof Error)) return EXIT_CODES.failed;
  const rejected = rejectionKindOf(error) ?? rejectionKindOf(error.cause);
  if (rejected !== null) return BY_REJECTION[rejected] ?? EXIT_CODES.failed;
  const named = BY_NAME[error.name];
  if (named !== undefined) return named;
  if (codeOf(error) === 'EADDRINUSE') return EXIT_CODES.refused;
  if (
    NO_WAY_IN.has(codeOf(error) ?? '') ||
    NO_WAY_IN.has(codeOf(error.cause) ?? '') ||
    adviceOn(error) !== null ||
    isUnavailable(error)
  )
    return EXIT_CODES.unavailable;
  return EXIT_CODES.failed;
}

/** Returns the kind of a rejection by the domain; null for any other error. */
function rejectionKindOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'RejectedError') return null;
  return (error as unknown as { rejection: { kind: string } }).rejection.kind;
}
