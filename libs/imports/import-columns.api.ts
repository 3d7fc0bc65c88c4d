import { Controller, Get, Patch } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ResourceServices } from '#commands/resource-services.js';
import { IMPORT_KINDS, type ImportKind } from '#csv-import/import-jobs.js';
import type { Answer, Call } from '#http/call.js';
import { EnumField, ListField, text, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { ALL_COLUMNS, FILES } from './import-files.js';
import { type ColumnMappings, MapImportColumns, mappingsOf } from './request-import.js';

/** The maximum number of headers of one kind of file that an organisation, or a request, maps. */
export const MAX_MAPPED_COLUMNS = 200;
const MAX_HEADER_LENGTH = 200;

/** The meaning of a header. */
class ColumnMappingEntry {
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_HEADER_LENGTH,
    description: 'The header as in the file; case, spaces and signs are ignored.',
    example: 'Personnel no.',
  })
  readonly header!: string;
  @EnumField(ALL_COLUMNS, {
    nullable: true,
    description:
      'The column of the header; null for a column to ignore. A column that files of the kind do not have is ' +
      'ignored, with a warning.',
    example: 'staff_id',
  })
  readonly column!: string | null;
}

export class ColumnMappingEntryRequest extends ColumnMappingEntry {}

class MapImportColumnsRequest {
  @EnumField(IMPORT_KINDS, { example: 'people' })
  readonly kind!: ImportKind;
  @ListField(() => ColumnMappingEntryRequest, {
    maximumItems: MAX_MAPPED_COLUMNS,
    description: 'The whole mapping of this kind of file; an empty list removes it.',
  })
  readonly mapping!: readonly ColumnMappingEntry[];
}

/** A column, with its headers in other programs. */
class ImportColumn {
  @TextField({ example: 'staff_id' })
  readonly name!: string;
  @ListField(text(), {
    maximumItems: MAX_MAPPED_COLUMNS,
    description: 'Headers that mean it without a mapping.',
    example: ['employee_id'],
  })
  readonly synonyms!: readonly string[];
}

/** The columns of one kind of file. */
class ImportColumnsOfKind {
  @EnumField(IMPORT_KINDS, { example: 'people' })
  readonly kind!: ImportKind;
  @ListField(() => ImportColumn, { maximumItems: MAX_MAPPED_COLUMNS, description: 'The columns of such a file.' })
  readonly columns!: readonly ImportColumn[];
  @ListField(() => ColumnMappingEntry, {
    maximumItems: MAX_MAPPED_COLUMNS,
    description: "The organisation's own mapping.",
  })
  readonly mapping!: readonly ColumnMappingEntry[];
}

class ImportColumnsResponse {
  @ListField(() => ImportColumnsOfKind, { maximumItems: 10, description: 'One entry for each kind of file.' })
  readonly kinds!: readonly ImportColumnsOfKind[];
}

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
    description:
      "Returns the columns of each kind of file, the headers that mean them, and the organisation's own mapping.",
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
    description:
      "Replaces the organisation's mapping of one kind of file. Imports that are requested afterwards use it.",
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
