import { BooleanField, DateField, DateTimeField, EnumField, IdField, ListField, ObjectField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { ACTOR_TYPES, NamedActorResponse } from '../../people/audit-report/actor.contract.js';

const TYPE_EXAMPLE = 'EmploymentCorrected';
const LONGEST_NAME = 300;
/** Values of any field, as text: addresses and lists are JSON. */
const LONGEST_VALUE = 100_000;

export class ActivityResourceResponse {
  @TextField({ maximumLength: 60, description: 'The kind of resource, such as person, employment or time_off.', example: 'employment' })
  readonly type!: string;
  @TextField({
    maximumLength: 200,
    description:
      'Of time off and adjustments of balances, the record; of what a person has one of, the id of the person; of what the organisation has one of, its id.',
    example: 'V1StGXR8_Z5j',
  })
  readonly id!: string;
}

export class ActivityPersonResponse {
  @IdField('person')
  readonly id!: string;
  @TextField({
    maximumLength: LONGEST_NAME,
    nullable: true,
    description: 'The present name; null without people:read, and for somebody who was never shown.',
    example: 'Ada Lovelace',
  })
  readonly display_name!: string | null;
}

export class FieldChangeResponse {
  @TextField({ maximumLength: LONGEST_NAME, example: 'job_title' })
  readonly field!: string;
  @TextField({
    maximumLength: LONGEST_VALUE,
    nullable: true,
    description: 'As text. For terms of employment, what was in force on the effective date as known before.',
    example: 'Engineer',
  })
  readonly before!: string | null;
  @TextField({
    maximumLength: LONGEST_VALUE,
    nullable: true,
    description: 'As text; [erased] after an erasure.',
    example: 'Senior Engineer',
  })
  readonly after!: string | null;
  @TextField({
    maximumLength: LONGEST_NAME,
    nullable: true,
    description: 'Where `before` is the id of an org unit, a manager or another term of employment: its present name.',
    example: null,
  })
  readonly before_name!: string | null;
  @TextField({ maximumLength: LONGEST_NAME, nullable: true, description: 'The same for `after`.', example: null })
  readonly after_name!: string | null;
}

/** One recorded event. */
export class ActivityResponse {
  @IdField('event')
  readonly id!: string;
  @DateTimeField()
  readonly recorded_at!: string;
  @TextField({ maximumLength: 100, description: 'As it is stored.', example: TYPE_EXAMPLE })
  readonly type!: string;
  @ObjectField(() => ActivityResourceResponse)
  readonly resource!: ActivityResourceResponse;
  @ObjectField(() => ActivityPersonResponse, { nullable: true, description: 'The person whom the resource is about.' })
  readonly person!: ActivityPersonResponse | null;
  @ObjectField(() => NamedActorResponse)
  readonly actor!: NamedActorResponse;
  @ObjectField(() => NamedActorResponse, { nullable: true, description: 'Who approved it, where an AI client proposed it.' })
  readonly approved_by!: NamedActorResponse | null;
  @TextField({
    maximumLength: 200,
    nullable: true,
    description: 'As in `Service-Request-Id`; null for what no request recorded.',
    example: 'req_WydAhe9R0QR26nTM.4',
  })
  readonly request_id!: string | null;
  @DateField({ nullable: true, description: 'From when it has effect; of an end, the final day.', example: '2026-03-01' })
  readonly effective_date!: string | null;
  @TextField({ maximumLength: 2_000, nullable: true, example: 'The contract named another date.' })
  readonly reason!: string | null;
  @TextField({ maximumLength: 200, nullable: true, description: 'The fact or adjustment that it replaces.', example: 'fact_Wd3kQ8sT.z2' })
  readonly supersedes!: string | null;
  @BooleanField({ description: 'Whether the caller lacks the scope of these values: then changes is empty.', example: false })
  readonly is_hidden!: boolean;
  @ListField(() => FieldChangeResponse, { maximumItems: 1_000 })
  readonly changes!: readonly FieldChangeResponse[];
}

export class ActivityQuery extends PageQuery {
  @IdField('person', { optional: true, description: 'Everything about this person.' })
  readonly person_id?: string;
  @TextField({ minimumLength: 1, maximumLength: LONGEST_NAME, optional: true, description: 'Id of an actor.', example: 'key_8Zq2LmX4' })
  readonly actor_id?: string;
  @EnumField(ACTOR_TYPES, { optional: true, description: 'The kind of actor.', example: 'user' })
  readonly actor_type?: string;
  @TextField({
    maximumLength: 60,
    optional: true,
    description: 'The kind of resource, as in the answers.',
    pattern: { source: '^[a-z]+(?:_[a-z]+)*$', words: 'must be the kind of a resource such as time_off' },
    example: 'employment',
  })
  readonly resource_type?: string;
  @TextField({
    maximumLength: 100,
    optional: true,
    description: 'The type of event.',
    pattern: { source: '^[A-Z][A-Za-z]+$', words: 'must be the type of an event such as EmploymentCorrected' },
    example: TYPE_EXAMPLE,
  })
  readonly type?: string;
  @DateTimeField({ optional: true, description: 'Recorded at this moment or later.', example: '2026-01-01T00:00:00.000Z' })
  readonly from?: string;
  @DateTimeField({ optional: true, description: 'Recorded before this moment.', example: '2026-02-01T00:00:00.000Z' })
  readonly to?: string;
}
