import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { headerKey } from '../../importing/columns.js';
import { IMPORT_KINDS, type ImportKind } from '../../importing/jobs/import-jobs.js';
import { mappingOf } from './import-columns.table.js';
import type { FileKind } from './import-files.js';
import { decideImportColumns, importColumnsAggregate, type ImportColumnsState, type MappedColumn } from './import-columns.decider.js';

/** How the headers of one kind of file are to be read. */
export interface WantedMapping {
  readonly kind: FileKind;
  readonly mapping: readonly MappedColumn[];
}

/** How the headers of each kind of file are read. */
export type ColumnMappings = ReadonlyMap<ImportKind, readonly MappedColumn[]>;

/** Returns how the organisation reads the headers of each kind of file. */
export async function mappingsOf(executor: Executor, organisationId: string): Promise<ColumnMappings> {
  const mappings = new Map<ImportKind, readonly MappedColumn[]>();
  for (const kind of IMPORT_KINDS) mappings.set(kind, await mappingOf(executor, organisationId, kind));
  return mappings;
}

/** Records how the organisation reads the headers of a kind of file. Throws `RejectedError` for a mapping that cannot be one. */
export async function mapImportColumns(
  services: CommandServices,
  context: CommandContext,
  { kind, mapping }: WantedMapping,
): Promise<ColumnMappings> {
  requireMapping(mapping);
  const plain = mapping.map(({ header, column }) => ({ header, column }));
  return commit(services, context, async (within) => {
    const decide = (state: ImportColumnsState) => decideImportColumns(plain, state);
    await execute(services, within, importColumnsAggregate, kind, { part: 'mapping', decide });
    return ({ executor }) => mappingsOf(executor, context.organisationId);
  });
}

/** A mapping with others for the same headers in place of its own. */
export function mergedMapping(mapping: readonly MappedColumn[], others: readonly MappedColumn[]): readonly MappedColumn[] {
  const keys = new Set(others.map(({ header }) => headerKey(header)));
  return [...mapping.filter(({ header }) => !keys.has(headerKey(header))), ...others];
}

/** Refuses a header that has no letters, or comes twice. Throws `RejectedError`. */
export function requireMapping(mapping: readonly MappedColumn[]): void {
  const seen = new Set<string>();
  mapping.forEach(({ header }, index) => {
    const refuse = (issue: string): never => {
      throw new RejectedError(invalid(`mapping[${index}].header`, issue));
    };
    const key = headerKey(header);
    if (key === '') refuse('must contain a letter or a digit');
    if (seen.has(key)) refuse('is mapped more than once');
    seen.add(key);
  });
}
