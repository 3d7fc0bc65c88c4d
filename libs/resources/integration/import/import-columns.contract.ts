import { EnumField, ListField, text, TextField } from '#http/fields.js';
import { IMPORT_KINDS, type ImportKind } from '../../importing/jobs/import-jobs.js';
import { ALL_COLUMNS } from './import-files.js';

/** The most headers of one kind of file that an organisation, or a request, maps. */
export const MOST_MAPPED = 200;
const LONGEST_HEADER = 200;

/** What a header of a file means. */
export class ColumnMappingEntry {
  @TextField({
    minimumLength: 1,
    maximumLength: LONGEST_HEADER,
    description: 'The header as the file has it; case, blanks and signs do not matter.',
    example: 'Personnel no.',
  })
  readonly header!: string;
  @EnumField(ALL_COLUMNS, {
    nullable: true,
    description: 'The column that it means; null for one to leave out. One that files of the kind do not have is left out, with a warning.',
    example: 'staff_id',
  })
  readonly column!: string | null;
}

export class MapImportColumnsRequest {
  @EnumField(IMPORT_KINDS, { example: 'people' })
  readonly kind!: ImportKind;
  @ListField(() => ColumnMappingEntry, {
    maximumItems: MOST_MAPPED,
    description: 'The whole mapping of this kind of file; an empty list takes it back.',
  })
  readonly mapping!: readonly ColumnMappingEntry[];
}

/** A column, with the headers of other programs that mean it. */
export class ImportColumn {
  @TextField({ example: 'staff_id' })
  readonly name!: string;
  @ListField(text(), { maximumItems: MOST_MAPPED, description: 'Headers that mean it without a mapping.', example: ['employee_id'] })
  readonly synonyms!: readonly string[];
}

/** The columns of one kind of file. */
export class ImportColumnsOfKind {
  @EnumField(IMPORT_KINDS, { example: 'people' })
  readonly kind!: ImportKind;
  @ListField(() => ImportColumn, { maximumItems: MOST_MAPPED, description: 'The columns of such a file.' })
  readonly columns!: readonly ImportColumn[];
  @ListField(() => ColumnMappingEntry, { maximumItems: MOST_MAPPED, description: "The organisation's own mapping." })
  readonly mapping!: readonly ColumnMappingEntry[];
}

export class ImportColumnsResponse {
  @ListField(() => ImportColumnsOfKind, { maximumItems: 10, description: 'One entry for each kind of file.' })
  readonly kinds!: readonly ImportColumnsOfKind[];
}
