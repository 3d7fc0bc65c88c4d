import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type Outcome } from '#commands/unit-of-work.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import { headerKey } from '../../importing/columns.js';
import type { FileKind } from './import-files.js';
import { decideImportColumns, importColumnsAggregate, type ImportColumnsState, type MappedColumn } from './import-columns.decider.js';

/**
 * Records how the organisation reads the headers of a kind of file, and returns what `show` makes of it. Throws `RejectedError` for a mapping
 * that cannot be one.
 */
export async function mapImportColumns<Result>(
  services: CommandServices,
  context: CommandContext,
  { kind, mapping }: { readonly kind: FileKind; readonly mapping: readonly MappedColumn[] },
  show: Outcome<Result>,
): Promise<Result> {
  requireMapping(mapping);
  const plain = mapping.map(({ header, column }) => ({ header, column }));
  return commit(services, context, async (within) => {
    const decide = (state: ImportColumnsState) => decideImportColumns(plain, state);
    await execute(services, within, importColumnsAggregate, kind, { part: 'mapping', decide });
    return show;
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
