import { Controller, Get, Inject, Optional, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { creatorChainOf, isRelatedToProposer } from '#access/creators.js';
import type { CommandContext } from '#commands/command-context.js';
import { isRecorded } from '#commands/handle-command.js';
import { CLOCK, ROUTES } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DateTimeField, EnumField, IdField, ListField, ObjectField, TextField } from '#http/fields.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import { byCreatedAt, PageQuery, readPage } from '#http/pages.js';
import { deniedBy, denialOf } from '#http/pipeline/guards.js';
import { send } from '#http/send.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { PERSON_EXAMPLE } from '#people/person/person-reference.js';
import { commandProposal, stageProposal } from './proposal-commands.js';
import { type ProposalContent, type ReadProposal, readProposal } from './proposal-content.js';
import { RecordProposalHandler } from './record-proposal.js';
import {
  listWriteProposals,
  PROPOSAL_STATUSES,
  type ProposalStatus,
  WRITE_PROPOSALS_MIGRATION,
  writeProposalAggregate,
  type WriteProposalCommand,
  type WriteProposalRow,
  writeProposalTable,
} from './write-proposal.js';
import { WriteProposals } from './write-proposals.js';

const PROPOSAL_EXAMPLE = 'wpr_Hq3nT7vK.c8Lw_1Zs.Xk5dB9mRf2Gy';

class WriteProposalParameters {
  @IdField('writeProposal', { description: 'Id of the write proposal.', example: PROPOSAL_EXAMPLE })
  readonly writeProposalId!: string;
}

class WriteProposalsQuery extends PageQuery {
  @EnumField(PROPOSAL_STATUSES, { optional: true, description: 'Only proposals of this status.', example: 'pending' })
  readonly status?: ProposalStatus;
}

/** One field of a proposed write. */
class ProposedChangeShape {
  @TextField({ description: 'Name of the field in the request body.', example: 'job_title' })
  readonly field!: string;
  @TextField({
    nullable: true,
    description: 'The value when the write was proposed; null for none.',
    example: 'Software Engineer',
  })
  readonly before!: string | null;
  @TextField({ nullable: true, description: 'The proposed value.', example: 'Staff Engineer' })
  readonly after!: string | null;
}

/** The actor who decided about a proposal. */
class DecidedByShape {
  @EnumField(['api_key', 'user', 'operator'], {
    description: 'user: a person who has signed in; operator: a person at the command line.',
    example: 'operator',
  })
  readonly type!: 'api_key' | 'user' | 'operator';
  @TextField({ description: 'Id of the key or the user, or login name of the operator.', example: 'hr-lead' })
  readonly id!: string;
}

/** The reason for which an approved write was not carried out. */
class RefusalShape {
  @TextField({ description: 'Code of the error of the operation.', example: 'precondition_failed' })
  readonly code!: string;
  @TextField({ example: 'The resource has changed since it was read.' })
  readonly message!: string;
}

/** A write that an AI client proposed (docs/how-to/connect-an-ai-client.md). */
export class WriteProposalResponse {
  @IdField('writeProposal', { example: PROPOSAL_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Id of the operation of the write.', example: 'changeEmployment' })
  readonly operation!: string;
  @TextField({ description: 'The summary of the operation.', example: 'Change the terms from a day on' })
  readonly summary!: string;
  @EnumField(PROPOSAL_STATUSES, {
    description:
      'pending: waits for a decision; approved: the write is in progress; applied: written; overtaken: approved, but ' +
      'the resource had changed or the write was refused, so nothing was written.',
    example: 'pending',
  })
  readonly status!: ProposalStatus;
  @IdField('person', {
    description: 'The person concerned; for a new person their future id.',
    example: PERSON_EXAMPLE,
  })
  readonly person_id!: string;
  @ListField(() => ProposedChangeShape, {
    maximumItems: 100,
    description: 'The fields of the write; empty once the personal data of the person was erased.',
  })
  readonly changes!: readonly ProposedChangeShape[];
  @TextField({ description: 'Id of the key that proposed the write.', example: 'key_b7Rk2XvQ.t5Yw_8Lm.Nd1sK4gPz6Hc' })
  readonly proposed_by!: string;
  @TextField({
    nullable: true,
    description: 'Reported name of the AI client, unverified.',
    example: 'Assistant 1.4',
  })
  readonly client!: string | null;
  @DateTimeField({ description: 'The time from which no decision is possible.' })
  readonly expires_at!: string;
  @ObjectField(() => DecidedByShape, {
    nullable: true,
    description: 'The actor who approved or rejected; null without a decision.',
  })
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

/**
 * A proposal in the form of responses. An expired pending one is reported as expired before the event is
 * recorded.
 */
export function presentProposal(
  row: WriteProposalRow,
  content: ProposalContent | null,
  { summary, now }: { readonly summary: string; readonly now: Date },
): WriteProposalResponse {
  const decided = row.decided_by_type === null ? null : { type: row.decided_by_type, id: row.decided_by! };
  return {
    id: row.id,
    operation: row.operation,
    summary,
    status: row.status === 'pending' && row.expires_at <= now ? 'expired' : row.status,
    person_id: row.person_id,
    changes: content?.changes ?? [],
    proposed_by: row.key_id,
    client: content?.client ?? null,
    expires_at: row.expires_at.toISOString(),
    decided_by: decided,
    decided_at: row.decided_at?.toISOString() ?? null,
    refusal: row.refusal_code === null ? null : { code: row.refusal_code, message: row.refusal_message! },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Approves a write. A process with the operations of the API carries it out right away; after an approval
 * elsewhere, the next such process does.
 */
export class ApproveWriteProposal extends Command<ReadProposal> {
  constructor(
    readonly context: CommandContext,
    readonly writeProposalId: string,
    readonly approval: Extract<WriteProposalCommand, { type: 'approve' }>,
  ) {
    super();
  }
}

/** Ends a proposal without a write. */
export class EndWriteProposal extends Command<ReadProposal> {
  constructor(
    readonly context: CommandContext,
    readonly writeProposalId: string,
    readonly end: Extract<WriteProposalCommand, { type: 'reject' | 'cancel' }>,
  ) {
    super();
  }
}

@CommandHandler(ApproveWriteProposal)
class ApproveWriteProposalHandler implements ICommandHandler<ApproveWriteProposal> {
  constructor(
    private readonly services: ResourceServices,
    @Optional() private readonly proposals?: WriteProposals,
  ) {}

  async execute({ context, writeProposalId: id, approval }: ApproveWriteProposal): Promise<ReadProposal> {
    const { services } = this;
    const { organisationId } = context;
    // The receipt is for the outcome of the write, so it is not stored with the decision.
    const { receipt: _, ...decision } = context;
    const stream = writeProposalAggregate.streamOf(organisationId, id);
    const isRepeat = await isRecorded(services.store, decision, { stream, part: approval.type });
    await commandProposal(services, decision, id, approval);
    await this.proposals?.carryOutSoon(organisationId, id);
    return commit(services, context, async ({ unit }) => {
      if (isRepeat) unit.noteFound();
      const row = await writeProposalTable.require(services.executor, organisationId, id);
      return ({ executor }) => readProposal(executor, organisationId, row);
    });
  }
}

@CommandHandler(EndWriteProposal)
class EndWriteProposalHandler implements ICommandHandler<EndWriteProposal> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, writeProposalId: id, end }: EndWriteProposal): Promise<ReadProposal> {
    return commit(this.services, context, async (within) => {
      const ended = await stageProposal(this.services, within, id, end);
      return async (written) => readProposal(written.executor, within.organisationId, await ended(written));
    });
  }
}

const COMMON = { tags: ['Write proposals'], scope: null, response: WriteProposalResponse } as const;
/** The options shared by the operations that end a proposal. */
const DECISIONS = {
  ...COMMON,
  parameters: WriteProposalParameters,
  write: { ifMatch: 'none' },
  errors: ['conflict', 'permission_denied'],
} satisfies Partial<OperationOptions>;

type ProposalCall = Call<undefined, unknown, WriteProposalParameters>;

@Controller('write-proposals')
class WriteProposalController {
  constructor(
    private readonly services: ResourceServices,
    private readonly proposals: WriteProposals,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROUTES) private readonly routes: readonly Route[],
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listWriteProposals',
    summary: 'List write proposals',
    description:
      'Writes that AI clients proposed, in the order of creation. A key sees the proposals of operations that its ' +
      'scopes allow, and its own.',
    capability: 'write_proposals.list',
    query: WriteProposalsQuery,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, WriteProposalsQuery>): Promise<Answer> {
    const { key, query } = call;
    const organisationId = key.organisation.id;
    const { status = null } = query;
    const operations = this.routes
      .filter(({ operation }) => mayDecide(operation, key))
      .map(({ operation }) => operation.operationId);
    const visible = { operations, keyId: key.keyId };
    const request = { organisationId, filters: { status }, query };
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byCreatedAt('listWriteProposals'),
      request,
      (after, count) =>
        listWriteProposals(this.services.executor, {
          organisationId,
          status,
          now: this.clock.now(),
          visible,
          after,
          count,
        }),
    );
    const read = await Promise.all(rows.map((row) => readProposal(this.services.executor, organisationId, row)));
    return { data: read.map((proposal) => this.present(proposal)), nextCursor };
  }

  @Get(':writeProposalId')
  @Operation({
    ...COMMON,
    operationId: 'getWriteProposal',
    summary: 'Read a write proposal',
    description: 'Returns the proposed values, the values before, and the outcome.',
    capability: 'write_proposals.read',
    tools: [
      {
        name: 'get_write_proposal',
        title: 'Read a write proposal',
        description:
          'Reads a proposal that a writing tool made: whether a person has approved it, and whether it was written.',
      },
    ],
    parameters: WriteProposalParameters,
  })
  async read(@Receive() call: ProposalCall): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    return this.answer(await readProposal(this.services.executor, organisationId, await this.visible(call)));
  }

  @Post(':writeProposalId/approve')
  @Operation({
    ...DECISIONS,
    operationId: 'approveWriteProposal',
    summary: 'Approve a write proposal',
    description:
      'Carries out the proposed write once, if the resource has not changed since it was proposed: see the status in ' +
      'the response. Needs the scope of the proposed operation. The proposing key cannot approve, and neither can ' +
      'its creator, a key that it created, or one that acts for the same user.',
    capability: 'write_proposals.approve',
  })
  async approve(@Receive() call: ProposalCall): Promise<Answer> {
    const row = await this.decidable(call);
    const approval = {
      type: 'approve',
      ...this.decisionBy(call),
      isRelated: await this.isRelated(call, row.key_id),
    } as const;
    return send(this.commands, call, (context) => new ApproveWriteProposal(context, row.id, approval), this.answer);
  }

  @Post(':writeProposalId/reject')
  @Operation({
    ...DECISIONS,
    operationId: 'rejectWriteProposal',
    summary: 'Reject a write proposal',
    description: 'Final. Needs the scope of the proposed operation. The key that proposed cancels instead.',
    capability: 'write_proposals.reject',
  })
  async reject(@Receive() call: ProposalCall): Promise<Answer> {
    const { id } = await this.decidable(call);
    return this.end(call, id, { type: 'reject', ...this.decisionBy(call) });
  }

  @Post(':writeProposalId/cancel')
  @Operation({
    ...DECISIONS,
    operationId: 'cancelWriteProposal',
    summary: 'Withdraw a write proposal',
    description: 'Final. Only the key that proposed may withdraw.',
    capability: 'write_proposals.cancel',
    tools: [
      {
        name: 'cancel_write_proposal',
        title: 'Withdraw a write proposal',
        description: 'Withdraws a proposal of this key that is still pending. It runs at once.',
      },
    ],
  })
  async cancel(@Receive() call: ProposalCall): Promise<Answer> {
    const { id } = await this.visible(call);
    return this.end(call, id, { type: 'cancel', keyId: call.key.keyId, now: this.clock.now().toISOString() });
  }

  private end(call: ProposalCall, id: string, end: EndWriteProposal['end']): Promise<Answer> {
    return send(this.commands, call, (context) => new EndWriteProposal(context, id, end), this.answer);
  }

  /** The proposal of a path. Throws if the key may not decide about it. */
  private async decidable(call: ProposalCall): Promise<WriteProposalRow> {
    const row = await this.visible(call);
    const route = this.proposals.routeOf(row.operation);
    const obstacle = route === null ? null : denialOf(route.operation, call.key);
    if (route !== null && obstacle !== null) throw deniedBy(obstacle, route.operation, call.key);
    return row;
  }

  private decisionBy({ key }: ProposalCall): { readonly by: AuthenticatedKey['actor']; readonly now: string } {
    return { by: key.actor, now: this.clock.now().toISOString() };
  }

  private async isRelated({ key }: ProposalCall, proposer: string): Promise<boolean> {
    const { executor } = this.services;
    const owner = key.ownerOrganisationId;
    const [proposing, deciding] = await Promise.all([
      creatorChainOf(executor, owner, { type: 'api_key', id: proposer }),
      creatorChainOf(executor, owner, key.actor),
    ]);
    return proposer !== key.keyId && isRelatedToProposer(proposing, deciding);
  }

  /**
   * The proposal of a path. Throws as for an unknown one if the key may neither decide about it nor has
   * proposed it.
   */
  private async visible({ key, parameters }: ProposalCall): Promise<WriteProposalRow> {
    const row = await writeProposalTable.require(
      this.services.executor,
      key.organisation.id,
      parameters.writeProposalId,
    );
    const operation = this.proposals.routeOf(row.operation)?.operation;
    const isVisible = row.key_id === key.keyId || (operation !== undefined && mayDecide(operation, key));
    return found(isVisible ? row : null);
  }

  private readonly answer = (proposal: ReadProposal): Answer => ({ data: this.present(proposal) });

  private present({ row, content }: ReadProposal): WriteProposalResponse {
    const summary = this.proposals.routeOf(row.operation)?.operation.summary ?? row.operation;
    return presentProposal(row, content, { summary, now: this.clock.now() });
  }
}

/** Whether the scopes of a key allow an operation that writes. */
function mayDecide({ write, scope }: Route['operation'], { scopes }: AuthenticatedKey): boolean {
  return write !== undefined && scope !== null && scopes.has(scope);
}

/** Writes that AI clients propose and people approve. */
export const writeProposalResource = defineResource({
  area: 'integration',
  tables: [writeProposalTable],
  migrations: [WRITE_PROPOSALS_MIGRATION],
  controllers: [WriteProposalController],
  handlers: [RecordProposalHandler, ApproveWriteProposalHandler, EndWriteProposalHandler],
  providers: [WriteProposals],
});
