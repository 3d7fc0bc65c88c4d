import { BooleanField, EnumField, IdField, TextField } from '#http/fields.js';
import { PERSON_STATUSES } from '../../people/person/person-status.rules.js';
import { TIME_OFF_STATUSES } from '../../time-off/records/time-off-status.rules.js';

export class CountryEntry {
  @IdField('country', { description: 'The same wherever the country appears; never changes.' })
  readonly id!: string;
  @TextField({ description: 'Its English name.', example: 'United Kingdom' })
  readonly label!: string;
  @TextField({ minimumLength: 2, maximumLength: 2, description: 'ISO 3166-1 alpha-2.', example: 'GB' })
  readonly country_code!: string;
}

export class StatusEntry {
  @IdField('personStatus')
  readonly id!: string;
  @TextField({ example: 'Active' })
  readonly label!: string;
  @EnumField(PERSON_STATUSES, { description: 'The value of status in people.' })
  readonly code!: string;
}

export class TimeOffStatusEntry {
  @IdField('timeOffStatus')
  readonly id!: string;
  @TextField({ example: 'Pending' })
  readonly label!: string;
  @EnumField(TIME_OFF_STATUSES, { description: 'The value of status_code in time-off records.' })
  readonly code!: string;
}

export class WorkTypeEntry {
  @IdField('workType')
  readonly id!: string;
  @TextField({ example: 'Full-time' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be assigned to people; those who have it keep it.' })
  readonly is_active!: boolean;
}

export class DocumentTypeEntry {
  @IdField('documentType')
  readonly id!: string;
  @TextField({ example: 'Employment contract' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be used for new documents; existing ones keep it.' })
  readonly is_active!: boolean;
}

export class TimeOffCategoryEntry {
  @IdField('timeOffCategory')
  readonly id!: string;
  @TextField({ example: 'Annual leave' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be used for new records; existing ones keep it.' })
  readonly is_active!: boolean;
}

export class WorkPlaceEntry {
  @IdField('workPlace')
  readonly id!: string;
  @TextField({ example: 'London office' })
  readonly label!: string;
  @BooleanField({ description: 'Whether it may be assigned to people; those who have it keep it.' })
  readonly is_active!: boolean;
}
