import { DateTimeField, EnumField, IdField, ListField, ObjectField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { PERSON_EXAMPLE } from '../../people/person/person.contract.js';
import { PROPOSAL_STATUSES, type ProposalStatus } from './write-proposal.decider.js';

const PROPOSAL_EXAMPLE = 'wpr_Hq3nT7vK.c8Lw_1Zs.Xk5dB9mRf2Gy';

export class WriteProposalParameters {
  @IdField('writeProposal', { description: 'Id of the write proposal.', example: PROPOSAL_EXAMPLE })
  readonly writeProposalId!: string;
}

export class WriteProposalsQuery extends PageQuery {
  @EnumField(PROPOSAL_STATUSES, { optional: true, description: 'Only proposals of this status.', example: 'pending' })
  readonly status?: ProposalStatus;
}

/** One field that a proposed write sets. */
export class ProposedChangeShape {
  @TextField({ description: 'Name of the field in the request body.', example: 'job_title' })
  readonly field!: string;
  @TextField({
    nullable: true,
    description: 'What the resource showed when the write was proposed; null for nothing.',
    example: 'Software Engineer',
  })
  readonly before!: string | null;
  @TextField({ nullable: true, description: 'What the write sets.', example: 'Staff Engineer' })
  readonly after!: string | null;
}

/** Who decided about a proposal. */
export class DecidedByShape {
  @EnumField(['api_key', 'user', 'operator'], {
    description: 'user: somebody who has signed in; operator: somebody at the command line.',
    example: 'operator',
  })
  readonly type!: 'api_key' | 'user' | 'operator';
  @TextField({ description: 'Id of the key or the user, or login name of the operator.', example: 'hr-lead' })
  readonly id!: string;
}

/** Why an approved write was not made. */
export class RefusalShape {
  @TextField({ description: 'Code of the error that the operation answered with.', example: 'precondition_failed' })
  readonly code!: string;
  @TextField({ example: 'The resource has changed since it was read.' })
  readonly message!: string;
}

/** A write that an AI client proposed (docs/how-to/connect-an-ai-client.md). */
export class WriteProposalResponse {
  @IdField('writeProposal', { example: PROPOSAL_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Id of the operation that the write calls.', example: 'changeEmployment' })
  readonly operation!: string;
  @TextField({ description: 'What the operation does.', example: 'Change the terms from a day on' })
  readonly summary!: string;
  @EnumField(PROPOSAL_STATUSES, {
    description:
      'pending: waits for a decision; approved: the write has not ended yet; applied: written; overtaken: approved, but the resource had changed or the write was refused, so nothing was written.',
    example: 'pending',
  })
  readonly status!: ProposalStatus;
  @IdField('person', {
    description: 'The person whom the write concerns; for a new person the id that they will have.',
    example: PERSON_EXAMPLE,
  })
  readonly person_id!: string;
  @ListField(() => ProposedChangeShape, {
    maximumItems: 100,
    description: 'The fields that the write sets; empty once the personal data of the person was erased.',
  })
  readonly changes!: readonly ProposedChangeShape[];
  @TextField({ description: 'Id of the key that proposed the write.', example: 'key_b7Rk2XvQ.t5Yw_8Lm.Nd1sK4gPz6Hc' })
  readonly proposed_by!: string;
  @TextField({
    nullable: true,
    description: 'Name of the AI client, as it gave it: nobody has checked it.',
    example: 'Assistant 1.4',
  })
  readonly client!: string | null;
  @DateTimeField({ description: 'Nobody can decide from this moment on.' })
  readonly expires_at!: string;
  @ObjectField(() => DecidedByShape, { nullable: true, description: 'Who approved or rejected; null where nobody did.' })
  readonly decided_by!: DecidedByShape | null;
  @DateTimeField({ nullable: true })
  readonly decided_at!: string | null;
  @ObjectField(() => RefusalShape, { nullable: true, description: 'Only for an overtaken proposal.' })
  readonly refusal!: RefusalShape | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}
