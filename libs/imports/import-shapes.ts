import {
  BooleanField,
  DateField,
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { MAX_CHANGES } from '#csv-import/import-report.js';
import {
  IMPORT_KINDS,
  IMPORT_STATES,
  type ImportKind,
  type ImportState,
  MAX_PROBLEMS,
  PROBLEM_DAYS,
  SEVERITIES,
} from '#csv-import/import-jobs.js';
import { MATCHES, type MatchBy } from '#people/import/import-settings.js';
import { ColumnMappingEntryRequest, MAX_MAPPED_COLUMNS } from './import-columns.api.js';

const IMPORT_EXAMPLE = 'imp_Vb4nQ8sK.e2Lw_7Zt.Yc5rD9mJf1Gx';

/** The maximum size of a request body with a file, in bytes; see docs/reference/imports.md. */
export const MAX_IMPORT_BODY_BYTES = 4_194_304;
/**
 * The maximum size of a file, in characters. Line ends and quotation marks are longer in JSON, so that a body
 * may reach its limit first.
 */
const MAX_FILE_CHARACTERS = 4_000_000;

export class ImportParameters {
  @IdField('import', { description: 'Id of the import.', example: IMPORT_EXAMPLE })
  readonly importId!: string;
}

export class CreateImportRequest {
  @EnumField(IMPORT_KINDS, {
    description: 'The kind of rows; the columns of each kind: docs/reference/imports.md.',
    example: 'people',
  })
  readonly kind!: ImportKind;
  @TextField({
    minimumLength: 1,
    maximumLength: 200,
    description: 'Name of the file, included in lists of imports.',
    example: 'new-starters.csv',
  })
  readonly file_name!: string;
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_FILE_CHARACTERS,
    isFile: true,
    description: 'The whole file: CSV with a header row, separated by commas, semicolons, tabs or vertical bars.',
    example: 'work_email,first_name,last_name,start_date\nada@example.com,Ada,Byron,2026-03-02',
  })
  readonly csv!: string;
  @BooleanField({
    optional: true,
    description:
      'Whether to report every problem and count the changes, and write nothing until the import is run; true by ' +
      'default.',
    example: true,
  })
  readonly dry_run?: boolean;
  @BooleanField({
    optional: true,
    description:
      'Whether missing departments, work places and work types are created; false by default. Other kinds ignore it.',
    example: false,
  })
  readonly create_missing?: boolean;
  @DateField({
    optional: true,
    nullable: true,
    description:
      'The effective date of changed terms of existing people, for rows without an effective_date of their own. For ' +
      'kind people; others ignore it.',
    example: '2026-11-01',
  })
  readonly effective_date?: string | null;
  @EnumField(MATCHES, {
    optional: true,
    nullable: true,
    description:
      'The column that identifies an existing person. By default the e-mail address, and a row with the staff_id of ' +
      'another person is refused. For kind people; others ignore it.',
    example: 'work_email',
  })
  readonly match_by?: MatchBy | null;
  @BooleanField({
    optional: true,
    description: 'Whether a file with an unknown column is refused; by default the column is ignored, with a warning.',
    example: false,
  })
  readonly refuse_unknown_columns?: boolean;
  @ListField(() => ColumnMappingEntryRequest, {
    optional: true,
    maximumItems: MAX_MAPPED_COLUMNS,
    description:
      "The meaning of columns of this file. Takes precedence over the organisation's own mapping, which takes " +
      'precedence over names and synonyms.',
  })
  readonly mapping?: readonly ColumnMappingEntryRequest[];
}

/** The actor that requested an import. */
class ImportActorShape {
  @EnumField(['api_key', 'user'], { example: 'user' })
  readonly type!: string;
  @TextField({ description: 'Id of the key or the user.', example: 'usr_Lm4tR8sQ.c1Wd_6Hb.Zn3vK7pXy2Gf' })
  readonly id!: string;
}

/** An import of a file, and its state. */
export class ImportResponse {
  @IdField('import', { example: IMPORT_EXAMPLE })
  readonly id!: string;
  @EnumField(IMPORT_KINDS, { example: 'people' })
  readonly kind!: ImportKind;
  @TextField({ maximumLength: 200, example: 'new-starters.csv' })
  readonly file_name!: string;
  @EnumField(IMPORT_STATES, {
    description:
      'check_queued and checking: the dry run; checked: waits to be run; queued and importing: the import; refused: ' +
      'nothing of the file can be imported; imported, refused, cancelled, failed and expired: ended, and the file is ' +
      'destroyed.',
    example: 'checked',
  })
  readonly state!: ImportState;
  @BooleanField({ description: 'Whether missing departments, work places and work types are created.', example: false })
  readonly create_missing!: boolean;
  @DateField({
    nullable: true,
    description: 'The effective date of terms without one of their own.',
    example: '2026-11-01',
  })
  readonly effective_date!: string | null;
  @EnumField(MATCHES, {
    nullable: true,
    description: 'The column that identifies an existing person.',
    example: 'work_email',
  })
  readonly match_by!: MatchBy | null;
  @BooleanField({ description: 'Whether an unknown column refuses the file.', example: false })
  readonly refuse_unknown_columns!: boolean;
  @IntegerField({ minimum: 0, description: 'Rows of the file, as far as it has been read.', example: 120 })
  readonly rows!: number;
  @IntegerField({ minimum: 0, description: 'Rows with a known outcome.', example: 120 })
  readonly settled!: number;
  @IntegerField({ minimum: 0, description: 'Rows that created a record, or would.', example: 117 })
  readonly created!: number;
  @IntegerField({ minimum: 0, description: 'Rows that changed a record, or would.', example: 0 })
  readonly changed!: number;
  @IntegerField({ minimum: 0, description: 'Rows that were recorded before.', example: 1 })
  readonly unchanged!: number;
  @IntegerField({ minimum: 0, description: 'Rows that are refused.', example: 2 })
  readonly failed!: number;
  @IntegerField({
    minimum: 0,
    description: `Number of problems; the first ${MAX_PROBLEMS} can be read.`,
    example: 3,
  })
  readonly problems!: number;
  @IntegerField({
    minimum: 0,
    description: 'Number of warnings: parts of the file that the import ignores.',
    example: 1,
  })
  readonly warnings!: number;
  @IntegerField({
    minimum: 0,
    description: `Values of existing records that change, or would; the first ${MAX_CHANGES} can be read.`,
    example: 0,
  })
  readonly changes!: number;
  @BooleanField({
    description:
      `Whether the problems, warnings and changes can still be read: for ${PROBLEM_DAYS} days, ` +
      'and not after a person was erased.',
    example: true,
  })
  readonly are_problems_kept!: boolean;
  @ObjectField(() => ImportActorShape)
  readonly requested_by!: ImportActorShape;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField({ description: 'When its state, its counts or its progress last changed.' })
  readonly updated_at!: string;
  @DateTimeField({
    nullable: true,
    description: 'When it was imported, cancelled, or ended otherwise; null before.',
    example: null,
  })
  readonly ended_at!: string | null;
}

export class ImportsQuery extends PageQuery {}

export class ImportProblemsQuery extends PageQuery {}

/** A problem of a row, in the words of the command line. */
export class ImportProblemResponse {
  @IntegerField({
    minimum: 1,
    description: 'Line of the file on which the row begins; the header is line 1.',
    example: 14,
  })
  readonly line!: number;
  @TextField({ description: 'The column; "row" or "file" for what concerns more than a cell.', example: 'manager' })
  readonly field!: string;
  @TextField({ maximumLength: 1_000, example: 'names nobody' })
  readonly issue!: string;
  @EnumField(SEVERITIES, {
    description: 'A problem refuses its row, or the file; a warning ignores a part of it.',
    example: 'problem',
  })
  readonly severity!: string;
}

export class ImportChangesQuery extends PageQuery {}

/** A change of an existing record by a row, or by a dry run. */
export class ImportChangeResponse {
  @IntegerField({
    minimum: 1,
    description: 'Line of the file on which the row begins; the header is line 1.',
    example: 14,
  })
  readonly line!: number;
  @TextField({
    description: 'The e-mail address or staff_id of the person; the label of a location.',
    example: 'ada@example.com',
  })
  readonly subject!: string;
  @TextField({ description: 'The column.', example: 'job_title' })
  readonly field!: string;
  @TextField({
    nullable: true,
    description: 'The recorded value of that day, by name; null for none.',
    example: 'Senior Engineer',
  })
  readonly before!: string | null;
  @TextField({ nullable: true, example: 'Lead Engineer' })
  readonly after!: string | null;
  @DateField({
    nullable: true,
    description: 'The effective date; null for data without history.',
    example: '2026-11-01',
  })
  readonly effective_date!: string | null;
}
