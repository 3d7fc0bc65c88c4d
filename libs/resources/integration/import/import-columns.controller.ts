import { Controller, Get, Patch } from '@nestjs/common';
import type { Answer, Call } from '#http/call.js';
import { Operation, Receive } from '#http/operation.js';
import type { Executor } from '#projections/projection.js';
import { IMPORT_KINDS } from '../../importing/jobs/import-jobs.js';
import { ResourceServices } from '../../services/resource-services.js';
import { mapImportColumns } from './import-columns.commands.js';
import { ImportColumnsResponse, MapImportColumnsRequest } from './import-columns.contract.js';
import { mappingOf } from './import-columns.table.js';
import { FILES } from './import-files.js';

const COMMON = { tags: ['Imports'], scope: 'imports:manage', response: ImportColumnsResponse } as const;

@Controller('import-columns')
export class ImportColumnsController {
  constructor(private readonly services: ResourceServices) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'getImportColumns',
    summary: 'Read the columns of files',
    description: "Returns the columns of each kind of file, the headers that mean them, and the organisation's own mapping.",
    capability: 'imports.columns.read',
  })
  async read(@Receive() call: Call): Promise<Answer> {
    return { data: await presentColumns(this.services.executor, call.key.organisation.id) };
  }

  @Patch()
  @Operation({
    ...COMMON,
    operationId: 'mapImportColumns',
    summary: 'Map the columns of files',
    description: "Replaces the organisation's mapping of one kind of file. Imports that are asked for afterwards use it.",
    capability: 'imports.columns.update',
    body: MapImportColumnsRequest,
    write: { ifMatch: 'none' },
  })
  map(@Receive() call: Call<MapImportColumnsRequest>): Promise<Answer> {
    return mapImportColumns(this.services, call.command!, call.body, async ({ executor }) => ({
      data: await presentColumns(executor, call.key.organisation.id),
    }));
  }
}

async function presentColumns(executor: Executor, organisationId: string): Promise<ImportColumnsResponse> {
  const kinds: ImportColumnsResponse['kinds'][number][] = [];
  for (const kind of IMPORT_KINDS) {
    const { columns, synonyms } = FILES[kind];
    const shown = columns.map((name) => ({ name, synonyms: synonyms[name] ?? [] }));
    kinds.push({ kind, columns: shown, mapping: await mappingOf(executor, organisationId, kind) });
  }
  return { kinds };
}
