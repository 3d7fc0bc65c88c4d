import { BooleanField, DateTimeField, EnumField, IdField, ObjectField, TextField } from '#http/fields.js';
import { NamedActorResponse } from '../../people/audit-report/actor.contract.js';

const LONGEST_NOTE = 500;
const NOTE_EXAMPLE = 'Covered by the other team.';

/** A step of a time-off record. */
export class DecisionResponse {
  @EnumField(['requested', 'changed', 'approved', 'rejected', 'cancelled', 'shortened'], {
    description: 'shortened: to the days on which the person is employed.',
    example: 'approved',
  })
  readonly decision!: string;
  @DateTimeField()
  readonly decided_at!: string;
  @ObjectField(() => NamedActorResponse)
  readonly decided_by!: NamedActorResponse;
  @ObjectField(() => NamedActorResponse, { nullable: true, description: 'Who approved the decision, where an AI client proposed it.' })
  readonly approved_by!: NamedActorResponse | null;
  @EnumField(['requested', 'employment_ended', 'employment_starts_later'], {
    nullable: true,
    description: 'Why a record was cancelled; null for other steps.',
    example: null,
  })
  readonly because!: string | null;
  @TextField({
    maximumLength: LONGEST_NOTE,
    nullable: true,
    optional: true,
    description: 'Only with with_notes=true. Null where none was given, and after an erasure of the person.',
    example: NOTE_EXAMPLE,
  })
  readonly note?: string | null;
  @TextField({
    maximumLength: 200,
    nullable: true,
    description: 'As in `Service-Request-Id`; null for what no request recorded.',
    example: 'req_WydAhe9R0QR26nTM.4',
  })
  readonly request_id!: string | null;
}

export class DecideTimeOffRequest {
  @EnumField(['approved', 'rejected'], { example: 'approved' })
  readonly decision!: 'approved' | 'rejected';
  @TextField({
    minimumLength: 1,
    maximumLength: LONGEST_NOTE,
    optional: true,
    nullable: true,
    description: 'Why: one line.',
    example: NOTE_EXAMPLE,
  })
  readonly note?: string | null;
}

export class DecisionParameters {
  @IdField('timeOff', { description: 'Id of the time-off record.' })
  readonly timeOffId!: string;
}

export class DecisionsQuery {
  @BooleanField({ optional: true, description: 'Whether notes are shown.', example: true })
  readonly with_notes?: boolean;
}
