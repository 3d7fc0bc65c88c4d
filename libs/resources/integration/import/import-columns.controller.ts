import { Controller, Get, Patch } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { ResourceServices } from '../../services/resource-services.js';
import { type ColumnMappings, mappingsOf } from './import-columns.commands.js';
import { ImportColumnsResponse, MapImportColumnsRequest } from './import-columns.contract.js';
import { FILES } from './import-files.js';
import { MapImportColumns } from './import.handlers.js';

const COMMON = { tags: ['Imports'], scope: 'imports:manage', response: ImportColumnsResponse } as const;

@Controller('import-columns')
export class ImportColumnsController {
  constructor(
    private readonly services: ResourceServices,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'getImportColumns',
    summary: 'Read the columns of files',
    description: "Returns the columns of each kind of file, the headers that mean them, and the organisation's own mapping.",
    capability: 'imports.columns.read',
  })
  async read(@Receive() call: Call): Promise<Answer> {
    return answerWith(await mappingsOf(this.services.executor, call.key.organisation.id));
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
    return send(this.commands, call, (context) => new MapImportColumns(context, call.body), answerWith);
  }
}

function answerWith(mappings: ColumnMappings): Answer {
  const kinds = [...mappings].map(([kind, mapping]) => {
    const { columns, synonyms } = FILES[kind];
    return { kind, columns: columns.map((name) => ({ name, synonyms: synonyms[name] ?? [] })), mapping };
  });
  return { data: { kinds } satisfies ImportColumnsResponse };
}
