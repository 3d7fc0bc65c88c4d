import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { headerKey } from '#csv-import/columns.js';
import {
  cancelImport,
  countOpenImports,
  findImport,
  IMPORT_KINDS,
  type ImportKind,
  type ImportOptions,
  type ImportRow,
  type ImportState,
  insertImport,
  MAX_OPEN_BYTES,
  MAX_OPEN_IMPORTS,
  type NewImport,
  startImport,
} from '#csv-import/import-jobs.js';
import { conflict, found, invalid, RejectedError, type Rejection } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import {
  decideImportColumns,
  importColumnsAggregate,
  type ImportColumnsState,
  type MappedColumn,
  mappingOf,
} from './import-columns.js';
import type { FileKind } from './import-files.js';

/** The mapping of the headers of one kind of file. */
export interface ColumnMappingInput {
  readonly kind: FileKind;
  readonly mapping: readonly MappedColumn[];
}

/** The mapping of the headers of each kind of file. */
export type ColumnMappings = ReadonlyMap<ImportKind, readonly MappedColumn[]>;

/** Returns the organisation's mapping of the headers of each kind of file. */
export async function mappingsOf(executor: Executor, organisationId: string): Promise<ColumnMappings> {
  const mappings = new Map<ImportKind, readonly MappedColumn[]>();
  for (const kind of IMPORT_KINDS) mappings.set(kind, await mappingOf(executor, organisationId, kind));
  return mappings;
}

/** A mapping in which `others` replace the entries of the same headers. */
export function mergedMapping(
  mapping: readonly MappedColumn[],
  others: readonly MappedColumn[],
): readonly MappedColumn[] {
  const keys = new Set(others.map(({ header }) => headerKey(header)));
  return [...mapping.filter(({ header }) => !keys.has(headerKey(header))), ...others];
}

/** Refuses a header without letters and digits, or a duplicate. Throws `RejectedError`. */
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

/** A requested import. */
export interface ImportRequest {
  readonly kind: ImportKind;
  readonly fileName: string;
  readonly csv: string;
  readonly isDryRun: boolean;
  readonly createsMissing: boolean;
  readonly options: ImportOptions;
  /** IANA name; it determines the day on which the import runs. */
  readonly timeZone: string;
}

/** Refuses an import beyond the organisation's limits on waiting and running ones; null if there is room. */
export function capacityRejection(
  { imports, bytes }: { readonly imports: number; readonly bytes: number },
  more: number,
): Rejection | null {
  const remedy = 'run or cancel a waiting one, or repeat the request when one has ended';
  if (imports >= MAX_OPEN_IMPORTS)
    return conflict('imports', `${imports} imports of the organisation wait or run, which is the maximum: ${remedy}`);
  if (bytes + more <= MAX_OPEN_BYTES) return null;
  return conflict(
    'csv',
    `the files of imports that wait or run may have ${MAX_OPEN_BYTES} bytes together, and have ${bytes} without this ` +
      `one: ${remedy}`,
  );
}

function newImport(
  { organisationId, actor, requestId }: CommandContext,
  id: string,
  { kind, fileName, csv, isDryRun, createsMissing, options, timeZone }: ImportRequest,
): NewImport {
  return {
    organisation_id: organisationId,
    id,
    kind,
    file_name: fileName,
    creates_missing: createsMissing,
    options,
    time_zone: timeZone,
    actor,
    request_id: requestId!,
    isDryRun,
    csv,
  };
}

const STARTED: ReadonlySet<ImportState> = new Set<ImportState>(['queued', 'importing', 'imported']);

/**
 * Moves an import to another state, or leaves it unchanged in its current one; throws the reason for which
 * the move is not allowed.
 */
function move(
  services: CommandServices,
  context: CommandContext,
  id: string,
  step: 'start' | 'cancel',
  rejectionOf: (state: ImportState) => Rejection | null,
): Promise<ImportRow> {
  const { organisationId } = context;
  return commit(services, context, async ({ unit }) => {
    let moved: ImportRow | null = null;
    unit.write(async (connection) => {
      moved = await (step === 'start' ? startImport : cancelImport)(connection, organisationId, id);
    });
    return async ({ executor }) => {
      const current = moved ?? found(await findImport(executor, organisationId, id));
      const rejection = moved === null ? rejectionOf(current.state) : null;
      if (rejection !== null) throw new RejectedError(rejection);
      return current;
    };
  });
}

function messageOf(state: ImportState): string {
  return state.replace('_', ' ');
}

/**
 * Queues a file for the workers. The same context creates the same import, once. Throws {@link RejectedError}
 * while too many imports of the organisation wait or run, or their files are too large together.
 */
export class CreateImport extends Command<ImportRow> {
  constructor(
    readonly context: CommandContext,
    readonly requested: ImportRequest,
  ) {
    super();
  }
}

/**
 * Queues a checked import for the workers; one that was already started stays unchanged. Throws
 * `RejectedError` in other states.
 */
export class RunImport extends Command<ImportRow> {
  constructor(
    readonly context: CommandContext,
    readonly importId: string,
  ) {
    super();
  }
}

/** Cancels a waiting import; a cancelled one stays cancelled. Throws `RejectedError` in other states. */
export class CancelImport extends Command<ImportRow> {
  constructor(
    readonly context: CommandContext,
    readonly importId: string,
  ) {
    super();
  }
}

/**
 * Records the organisation's mapping of the headers of a kind of file. Throws `RejectedError` for an invalid
 * mapping.
 */
export class MapImportColumns extends Command<ColumnMappings> {
  constructor(
    readonly context: CommandContext,
    readonly requested: ColumnMappingInput,
  ) {
    super();
  }
}

@CommandHandler(CreateImport)
class CreateImportHandler implements ICommandHandler<CreateImport> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, requested }: CreateImport): Promise<ImportRow> {
    const { executor, mint } = this.services;
    const { organisationId } = context;
    const id = mint.prefixed('import', organisationId, ...context.seed);
    return commit(this.services, context, async ({ unit }) => {
      // The lock prevents concurrent requests from exceeding the limits together.
      await unit.hold({ exclusive: [`imports of ${organisationId}`] });
      if ((await findImport(executor, organisationId, id)) === null) {
        const refusal = capacityRejection(
          await countOpenImports(executor, organisationId),
          Buffer.byteLength(requested.csv),
        );
        if (refusal !== null) throw new RejectedError(refusal);
        unit.write(async (connection) => void (await insertImport(connection, newImport(context, id, requested))));
      } else {
        unit.noteFound();
      }
      return async (written) => found(await findImport(written.executor, organisationId, id));
    });
  }
}

@CommandHandler(RunImport)
class RunImportHandler implements ICommandHandler<RunImport> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, importId: id }: RunImport): Promise<ImportRow> {
    return move(this.services, context, id, 'start', (state) =>
      STARTED.has(state)
        ? null
        : conflict('state', `only a checked import can be run, and this one is ${messageOf(state)}`),
    );
  }
}

@CommandHandler(CancelImport)
class CancelImportHandler implements ICommandHandler<CancelImport> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, importId: id }: CancelImport): Promise<ImportRow> {
    return move(this.services, context, id, 'cancel', (state) =>
      state === 'cancelled'
        ? null
        : conflict('state', `only a waiting import can be cancelled, and this one is ${messageOf(state)}`),
    );
  }
}

@CommandHandler(MapImportColumns)
class MapImportColumnsHandler implements ICommandHandler<MapImportColumns> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, requested: { kind, mapping } }: MapImportColumns): Promise<ColumnMappings> {
    requireMapping(mapping);
    const plain = mapping.map(({ header, column }) => ({ header, column }));
    return commit(this.services, context, async (within) => {
      const decide = (state: ImportColumnsState) => decideImportColumns(plain, state);
      await execute(this.services, within, importColumnsAggregate, kind, { part: 'mapping', decide });
      return ({ executor }) => mappingsOf(executor, context.organisationId);
    });
  }
}

/** The handlers of this file, for the module. */
export const IMPORT_COMMAND_HANDLERS = [
  CreateImportHandler,
  RunImportHandler,
  CancelImportHandler,
  MapImportColumnsHandler,
];
