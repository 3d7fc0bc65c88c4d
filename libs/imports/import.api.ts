import { Controller, Get, Post } from '@nestjs/common';
import { type Command, CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import {
  findImport,
  type ImportRow,
  listChanges,
  listImports,
  listProblems,
  type NumberedChange,
  type NumberedProblem,
} from '#csv-import/import-jobs.js';
import { IMPORT_CHANGES_SQL } from '#csv-import/import-jobs.table.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { Operation, Receive } from '#http/operation.js';
import { byCreatedAt, isSafeInteger, type PagedList, readPage } from '#http/pages.js';
import { send } from '#http/send.js';
import { importJob, WorkRequests } from '#jobs/requested-work.js';
import { found } from '#kernel/rejection.js';
import { ImportColumnsController } from './import-columns.api.js';
import { asMapping, IMPORT_COLUMNS_SQL, importColumnsTable, mappingOf } from './import-columns.js';
import { ImportFileHandler } from './import-file.js';
import {
  CreateImportRequest,
  ImportChangeResponse,
  ImportChangesQuery,
  ImportParameters,
  ImportProblemResponse,
  ImportProblemsQuery,
  ImportResponse,
  ImportsQuery,
  MAX_IMPORT_BODY_BYTES,
} from './import-shapes.js';
import { CancelImport, CreateImport, IMPORT_COMMAND_HANDLERS, requireMapping, RunImport } from './request-import.js';

const COMMON = { tags: ['Imports'], scope: 'imports:manage', response: ImportResponse } as const;

type ImportCall<Query = unknown> = Call<undefined, Query, ImportParameters>;

const BY_NUMBER: PagedList<{ readonly number: number }, NumberedProblem> = {
  route: 'listImportProblems',
  place: { number: isSafeInteger },
  placeOf: ({ number }) => ({ number }),
};

const CHANGES_BY_NUMBER: PagedList<{ readonly number: number }, NumberedChange> = {
  route: 'listImportChanges',
  place: { number: isSafeInteger },
  placeOf: ({ number }) => ({ number }),
};

@Controller('imports')
class ImportController {
  constructor(
    private readonly services: ResourceServices,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
    private readonly work: WorkRequests,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listImports',
    summary: 'List imports of files',
    description:
      'Returns the imports that were requested through the API, the newest first, with their progress and counts.',
    capability: 'imports.list',
    query: ImportsQuery,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, ImportsQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const request = { organisationId, filters: {}, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, byCreatedAt('listImports'), request, (after, count) =>
      listImports(this.services.executor, organisationId, after, count),
    );
    return { data: rows.map(presentImport), nextCursor };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'createImport',
    summary: 'Import a CSV file',
    description:
      'Queues the file for a worker, first for a dry run, which reports the problems of every row and writes ' +
      'nothing. The file is encrypted, and destroyed when the import has ended, after 24 hours without a start, or ' +
      'when a person of the organisation is erased. Importing a file again is safe.',
    capability: 'imports.create',
    body: CreateImportRequest,
    bodyLimit: MAX_IMPORT_BODY_BYTES,
    successStatus: 201,
    rateLimit: 'imports',
    write: { ifMatch: 'none', receipt: 'sealed' },
    errors: ['conflict'],
  })
  async create(@Receive() call: Call<CreateImportRequest>): Promise<Answer> {
    const {
      kind,
      file_name: fileName,
      csv,
      dry_run: isDryRun = true,
      create_missing: createsMissing = false,
      mapping = [],
    } = call.body;
    const { id, timeZone } = call.key.organisation;
    requireMapping(mapping);
    const options = {
      effective_date: call.body.effective_date ?? null,
      match_by: call.body.match_by ?? null,
      refuse_unknown_columns: call.body.refuse_unknown_columns ?? false,
      mapping: asMapping(await mappingOf(this.services.executor, id, kind), mapping),
    };
    const requested = { kind, fileName, csv, isDryRun, createsMissing, options, timeZone };
    return this.begin(call, (context) => new CreateImport(context, requested));
  }

  @Get(':importId')
  @Operation({
    ...COMMON,
    operationId: 'getImport',
    summary: 'Read an import with its progress',
    description: 'Returns the state, the processed rows, and the counts of the dry run or of the import.',
    capability: 'imports.read',
    parameters: ImportParameters,
  })
  async read(@Receive() call: ImportCall): Promise<Answer> {
    return answerWith(await this.find(call));
  }

  @Get(':importId/problems')
  @Operation({
    ...COMMON,
    operationId: 'listImportProblems',
    summary: 'List the problems of an import',
    description:
      'Returns the problems of the last dry run or import with the lines of their rows, in the order of the file.',
    capability: 'imports.problems.list',
    parameters: ImportParameters,
    query: ImportProblemsQuery,
    response: ImportProblemResponse,
    responseKind: 'page',
  })
  async problems(@Receive() call: ImportCall<ImportProblemsQuery>): Promise<Answer> {
    const request = {
      organisationId: call.key.organisation.id,
      filters: { import_id: call.parameters.importId },
      query: call.query,
    };
    const { rows, nextCursor } = await readPage(this.cursors, BY_NUMBER, request, async (after, count) =>
      listProblems(this.services.executor, await this.find(call), after?.number ?? 0, count),
    );
    return { data: rows, nextCursor };
  }

  @Get(':importId/changes')
  @Operation({
    ...COMMON,
    operationId: 'listImportChanges',
    summary: 'List the changes of an import',
    description:
      'Returns the changes of existing records by the rows, with the values before and after and the effective date; ' +
      'for a dry run, the changes that it would make.',
    capability: 'imports.changes.list',
    parameters: ImportParameters,
    query: ImportChangesQuery,
    response: ImportChangeResponse,
    responseKind: 'page',
  })
  async changes(@Receive() call: ImportCall<ImportChangesQuery>): Promise<Answer> {
    const request = {
      organisationId: call.key.organisation.id,
      filters: { import_id: call.parameters.importId },
      query: call.query,
    };
    const { rows, nextCursor } = await readPage(this.cursors, CHANGES_BY_NUMBER, request, async (after, count) =>
      listChanges(this.services.executor, await this.find(call), after?.number ?? 0, count),
    );
    return { data: rows, nextCursor };
  }

  @Post(':importId/run')
  @Operation({
    ...COMMON,
    operationId: 'runImport',
    summary: 'Run a checked import',
    description: 'Imports the valid rows of the file that the dry run has checked. The others are reported again.',
    capability: 'imports.run',
    parameters: ImportParameters,
    write: { ifMatch: 'none', receipt: 'sealed' },
    errors: ['conflict'],
  })
  run(@Receive() call: ImportCall): Promise<Answer> {
    return this.begin(call, (context) => new RunImport(context, call.parameters.importId));
  }

  @Post(':importId/cancel')
  @Operation({
    ...COMMON,
    operationId: 'cancelImport',
    summary: 'Cancel a waiting import',
    description:
      'Destroys the file of an import that waits for its dry run, its start or a worker. A running one is not ' +
      'interrupted.',
    capability: 'imports.cancel',
    parameters: ImportParameters,
    write: { ifMatch: 'none', receipt: 'sealed' },
    errors: ['conflict'],
  })
  cancel(@Receive() call: ImportCall): Promise<Answer> {
    return send(this.commands, call, (context) => new CancelImport(context, call.parameters.importId), answerWith);
  }

  /** Sends the command, and notifies a worker once the import is recorded. */
  private async begin(
    call: Call<unknown, unknown, unknown>,
    commandOf: (context: CommandContext) => Command<ImportRow>,
  ): Promise<Answer> {
    let begun: ImportRow | null = null;
    const answer = await send(this.commands, call, commandOf, (row) => {
      begun = row;
      return answerWith(row);
    });
    const { organisation_id, id, state } = begun! as ImportRow;
    if (state === 'check_queued' || state === 'queued')
      this.work.begin(importJob({ organisation_id, id, isDryRun: state === 'check_queued' }));
    return answer;
  }

  private async find({ key, parameters }: ImportCall): Promise<ImportRow> {
    return found(await findImport(this.services.executor, key.organisation.id, parameters.importId));
  }
}

function answerWith(row: ImportRow): Answer {
  return { data: presentImport(row) };
}

function presentImport({ creates_missing, has_problem_texts, options, actor, ...row }: ImportRow): object {
  const { effective_date = null, match_by = null, refuse_unknown_columns = false } = options;
  const presented = { create_missing: creates_missing, effective_date, match_by, refuse_unknown_columns };
  return { ...row, ...presented, are_problems_kept: has_problem_texts, requested_by: actor };
}

/** Imports of CSV files that callers of the API request, and workers run. */
export const importResource = defineResource({
  area: 'integration',
  tables: [importColumnsTable],
  controllers: [ImportController, ImportColumnsController],
  handlers: [...IMPORT_COMMAND_HANDLERS, ImportFileHandler],
  migrations: [{ version: 27, name: 'columns and changes of imports', sql: IMPORT_CHANGES_SQL + IMPORT_COLUMNS_SQL }],
});
