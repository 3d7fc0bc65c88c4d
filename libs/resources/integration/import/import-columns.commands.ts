import type { CommandContext } from '#commands/command-context.js';
import { type CommandServices, execute } from '#commands/execute.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import { type FileColumns, headerKey } from '../../importing/columns.js';
import type { ImportKind } from '../../importing/jobs/import-jobs.js';
import { LOCATION_FILE } from '../../organisation/location/location-import.js';
import { HISTORY_FILE, PEOPLE_FILE } from '../../people/import/import-columns.js';
import { TIME_OFF_FILE } from '../../time-off/import/time-off-import.js';
import { decideImportColumns, importColumnsAggregate, type MappedColumn } from './import-columns.decider.js';

/** The columns of each kind of file. */
export const FILES: Readonly<Record<ImportKind, FileColumns>> = {
  people: PEOPLE_FILE,
  employment_history: HISTORY_FILE,
  time_off: TIME_OFF_FILE,
  locations: LOCATION_FILE,
};

/** Records how the organisation reads the headers of a kind of file. Throws `RejectedError` for a mapping that cannot be one. */
export async function mapImportColumns(
  services: CommandServices,
  context: CommandContext,
  kind: ImportKind,
  mapping: readonly MappedColumn[],
): Promise<void> {
  requireMapping(kind, mapping);
  const plain = mapping.map(({ header, column }) => ({ header, column }));
  await execute(services, context, importColumnsAggregate, kind, { part: 'mapping', decide: (state) => decideImportColumns(plain, state) });
}

/** A mapping with others for the same headers in place of its own. */
export function mergedMapping(mapping: readonly MappedColumn[], others: readonly MappedColumn[]): readonly MappedColumn[] {
  const keys = new Set(others.map(({ header }) => headerKey(header)));
  return [...mapping.filter(({ header }) => !keys.has(headerKey(header))), ...others];
}

/** Refuses a header that has no letters, or comes twice, and a column that such files do not have. Throws `RejectedError`. */
export function requireMapping(kind: ImportKind, mapping: readonly MappedColumn[]): void {
  const { columns } = FILES[kind];
  const seen = new Set<string>();
  mapping.forEach(({ header, column }, index) => {
    const refuse = (field: string, issue: string): never => {
      throw new RejectedError(invalid(`mapping[${index}].${field}`, issue));
    };
    const key = headerKey(header);
    if (key === '') refuse('header', 'must contain a letter or a digit');
    if (seen.has(key)) refuse('header', 'is mapped more than once');
    if (column !== null && !columns.includes(column)) refuse('column', `must be one of: ${columns.join(', ')}`);
    seen.add(key);
  });
}
