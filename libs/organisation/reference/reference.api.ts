import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import type { Answer, Call } from '#http/call.js';
import { BooleanField, EnumField, IdField, TextField } from '#http/fields.js';
import type { ShapeClass } from '#http/fields/shape.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { IdKind } from '#kernel/identifier.js';
import { PERSON_STATUSES } from '#kernel/person-statuses.js';
import { TIME_OFF_STATUSES } from '#kernel/time-off-statuses.js';
import { allCountries } from '../country/countries.js';
import { listEntries } from '../dictionary/dictionary.js';

class CountryEntry {
  @IdField('country', { description: 'The same wherever the country appears; never changes.' })
  readonly id!: string;
  @TextField({ description: 'Its English name.', example: 'United Kingdom' })
  readonly label!: string;
  @TextField({ minimumLength: 2, maximumLength: 2, description: 'ISO 3166-1 alpha-2.', example: 'GB' })
  readonly country_code!: string;
}

class StatusEntry {
  @IdField('personStatus')
  readonly id!: string;
  @TextField({ example: 'Active' })
  readonly label!: string;
  @EnumField(PERSON_STATUSES, { description: 'The value of status in people.' })
  readonly code!: string;
}

class TimeOffStatusEntry {
  @IdField('timeOffStatus')
  readonly id!: string;
  @TextField({ example: 'Pending' })
  readonly label!: string;
  @EnumField(TIME_OFF_STATUSES, { description: 'The value of status_code in time-off records.' })
  readonly code!: string;
}

class WorkTypeEntry {
  @IdField('workType')
  readonly id!: string;
  @TextField({ example: 'Full-time' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be assigned to people; those who have it keep it.' })
  readonly is_active!: boolean;
}

class DocumentTypeEntry {
  @IdField('documentType')
  readonly id!: string;
  @TextField({ example: 'Employment contract' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be used for new documents; existing ones keep it.' })
  readonly is_active!: boolean;
}

class TimeOffCategoryEntry {
  @IdField('timeOffCategory')
  readonly id!: string;
  @TextField({ example: 'Annual leave' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be used for new records; existing ones keep it.' })
  readonly is_active!: boolean;
}

class WorkPlaceEntry {
  @IdField('workPlace')
  readonly id!: string;
  @TextField({ example: 'London office' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be assigned to people; those who have it keep it.' })
  readonly is_active!: boolean;
}

/** The options that all dictionary operations share: contract part 4, "Reference data". */
function dictionary(
  named: Pick<OperationOptions, 'operationId' | 'summary' | 'description' | 'capability'> & {
    readonly response: ShapeClass;
  },
): OperationOptions {
  return { ...named, tags: ['Reference data'], scope: 'reference:read', responseKind: 'list' };
}

@Controller('reference')
class ReferenceController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly mint: IdMint,
  ) {}

  @Get('countries')
  @Operation(
    dictionary({
      operationId: 'listCountries',
      summary: 'List countries',
      description: 'Returns the codes and names of ISO 3166-1, which addresses and organisations use.',
      capability: 'reference.countries.list',
      response: CountryEntry,
    }),
  )
  countries(@Receive() { key }: Call): Answer {
    return {
      data: allCountries(this.mint, key.organisation.id).map(({ name: label, ...country }) => ({ ...country, label })),
    };
  }

  @Get('statuses')
  @Operation(
    dictionary({
      operationId: 'listStatuses',
      summary: 'List the statuses of people',
      description: 'Returns the statuses that `status` of a person may show.',
      capability: 'reference.statuses.list',
      response: StatusEntry,
    }),
  )
  statuses(@Receive() { key }: Call): Answer {
    return { data: this.codes('personStatus', key.organisation.id, PERSON_STATUSES) };
  }

  @Get('time-off-statuses')
  @Operation(
    dictionary({
      operationId: 'listTimeOffStatuses',
      summary: 'List the statuses of time off',
      description: 'Returns the statuses that `status_code` of time off may show.',
      capability: 'reference.time_off_statuses.list',
      response: TimeOffStatusEntry,
    }),
  )
  timeOffStatuses(@Receive() { key }: Call): Answer {
    return { data: this.codes('timeOffStatus', key.organisation.id, TIME_OFF_STATUSES) };
  }

  @Get('time-off-categories')
  @Operation(
    dictionary({
      operationId: 'listTimeOffCategoryLabels',
      summary: 'List ids and labels of time-off categories',
      description: 'Returns the categories that time off refers to, without their rules.',
      capability: 'reference.time_off_categories.list',
      response: TimeOffCategoryEntry,
    }),
  )
  async timeOffCategories(@Receive() { key }: Call): Promise<Answer> {
    return { data: await listEntries(this.pool, 'time_off_categories', key.organisation.id) };
  }

  @Get('work-types')
  @Operation(
    dictionary({
      operationId: 'listWorkTypes',
      summary: 'List work types',
      description: 'Returns the work types that `work_type_id` refers to.',
      capability: 'reference.work_types.list',
      response: WorkTypeEntry,
    }),
  )
  async workTypes(@Receive() { key }: Call): Promise<Answer> {
    return { data: await listEntries(this.pool, 'work_types', key.organisation.id) };
  }

  @Get('work-places')
  @Operation(
    dictionary({
      operationId: 'listWorkPlaces',
      summary: 'List work places',
      description: 'Returns the work places that `work_place_id` refers to.',
      capability: 'reference.work_places.list',
      response: WorkPlaceEntry,
    }),
  )
  async workPlaces(@Receive() { key }: Call): Promise<Answer> {
    return { data: await listEntries(this.pool, 'work_places', key.organisation.id) };
  }

  @Get('document-types')
  @Operation(
    dictionary({
      operationId: 'listDocumentTypes',
      summary: 'List document types',
      description: 'Returns the types that `document_type_id` refers to.',
      capability: 'reference.document_types.list',
      response: DocumentTypeEntry,
    }),
  )
  async documentTypes(@Receive() { key }: Call): Promise<Answer> {
    return { data: await listEntries(this.pool, 'document_types', key.organisation.id) };
  }

  /**
   * Entries of a dictionary that is the same for all organisations; their ids derive from the codes and never
   * change.
   */
  private codes(kind: IdKind, organisationId: string, codes: readonly string[]): readonly object[] {
    return codes.map((code) => ({
      id: this.mint.prefixed(kind, organisationId, 'code', code),
      label: code.charAt(0).toUpperCase() + code.slice(1),
      code,
    }));
  }
}

/** Lists of possible values of fields: countries, statuses and the entries of dictionaries. */
export const referenceResource = defineResource({ area: 'organisation', controllers: [ReferenceController] });
