import { BooleanField, DateField, DateTimeField, IdField, IntegerField, ObjectField, TextField, partialOf } from '#http/fields.js';

const ORG_UNIT_EXAMPLE = 'org_unit_mQ7x2LkA.9dFs_P0z.Yb3kR8tVw1Qe';
const PARENT_EXAMPLE = 'org_unit_c2V2ZW4x.dHdlbHZl.b25lX2h1bmRy';
const PERSON_EXAMPLE = '7k2m9qx4hz1c';
const LONGEST_NAME = 200;

export class ParentReference {
  @IdField('orgUnit', { example: PARENT_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current name.', example: 'Product and Technology' })
  readonly name!: string;
}

export class HeadReference {
  @IdField('person', { example: PERSON_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Ada Byron' })
  readonly display_name!: string;
}

/** A unit of the organisation (decisions: "Set-up resources"). */
export class OrgUnitResponse {
  @IdField('orgUnit', { example: ORG_UNIT_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: LONGEST_NAME, example: 'Engineering' })
  readonly name!: string;
  @TextField({ maximumLength: LONGEST_NAME, nullable: true, example: 'ENG' })
  readonly code!: string | null;
  @ObjectField(() => ParentReference, { nullable: true, description: 'The unit above it; null at the top.' })
  readonly parent!: ParentReference | null;
  @ObjectField(() => HeadReference, { nullable: true, description: 'The person who leads it.' })
  readonly head!: HeadReference | null;
  @DateTimeField({
    nullable: true,
    description: 'When it was archived, so that no new reference to it is allowed; null while it is active.',
    example: null,
  })
  readonly archived_at!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class OrgUnitTreeQuery {
  @DateField({ optional: true, description: 'The day whose people are counted; today where not given.', example: '2023-07-01' })
  readonly as_of?: string;
  @DateTimeField({
    optional: true,
    description: 'As it was known at this moment, inclusive; now where not given.',
    example: '2024-01-01T00:00:00.000Z',
  })
  readonly known_at?: string;
}

/** A unit with its place in the tree, and how many people it has on a day. */
export class OrgUnitInTree {
  @IdField('orgUnit', { example: ORG_UNIT_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: LONGEST_NAME, example: 'Engineering' })
  readonly name!: string;
  @IdField('orgUnit', { nullable: true, description: 'The unit above it; null at the top.', example: PARENT_EXAMPLE })
  readonly parent_id!: string | null;
  @ObjectField(() => HeadReference, { nullable: true, description: 'The person who leads it today.' })
  readonly head!: HeadReference | null;
  @BooleanField({ description: 'Whether it is archived today.', example: false })
  readonly is_archived!: boolean;
  @IntegerField({ minimum: 0, description: 'People of the unit itself.', example: 12 })
  readonly head_count!: number;
  @IntegerField({ minimum: 0, description: 'The same with those of all units below it.', example: 48 })
  readonly total_head_count!: number;
}

export class OrgUnitParameters {
  @IdField('orgUnit', { description: 'Id of the org unit.', example: ORG_UNIT_EXAMPLE })
  readonly orgUnitId!: string;
}

export class CreateOrgUnitRequest {
  @TextField({ minimumLength: 1, maximumLength: LONGEST_NAME, example: 'Engineering' })
  readonly name!: string;
  @TextField({ maximumLength: LONGEST_NAME, nullable: true, optional: true, example: 'ENG' })
  readonly code?: string | null;
  @IdField('orgUnit', {
    nullable: true,
    optional: true,
    description: 'The unit above it, which must be active; null for the top.',
    example: PARENT_EXAMPLE,
  })
  readonly parent_id?: string | null;
  @IdField('person', { nullable: true, optional: true, description: 'The person who leads it.', example: PERSON_EXAMPLE })
  readonly head_id?: string | null;
}

export class UpdateOrgUnitRequest extends partialOf(CreateOrgUnitRequest) {}
