import { Controller, Get, Inject, Post } from '@nestjs/common';
import { isRecorded } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK, ROUTES } from '#http/injection-tokens.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import { byCreation, readPage } from '#http/pages.js';
import { deniedBy, obstacleOf } from '#http/pipeline/obstacles.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { ResourceServices } from '../../services/resource-services.js';
import { chainOf, isOfProposer } from '../access/makers.js';
import { commandProposal, stageProposal } from './proposal-commands.js';
import { openContent } from './proposal-content.js';
import { presentProposal } from './proposal.presentation.js';
import { WriteProposalParameters, WriteProposalResponse, WriteProposalsQuery } from './write-proposal.contract.js';
import { writeProposalAggregate, type WriteProposalCommand } from './write-proposal.decider.js';
import { listWriteProposals, type WriteProposalRow, writeProposalTable } from './write-proposal.table.js';
import { WriteProposals } from './write-proposals.js';

const COMMON = { tags: ['Write proposals'], scope: null, response: WriteProposalResponse } as const;
/** The options shared by the operations that end a proposal. */
const DECISIONS = {
  ...COMMON,
  parameters: WriteProposalParameters,
  write: { ifMatch: 'none' },
  errors: ['conflict', 'permission_denied'],
} satisfies Partial<OperationOptions>;

type ProposalCall = Call<undefined, unknown, WriteProposalParameters>;

/** A command that a caller may give, and the proposal. */
interface WantedCommand {
  readonly id: string;
  readonly command: WriteProposalCommand;
}

@Controller('write-proposals')
export class WriteProposalController {
  constructor(
    private readonly services: ResourceServices,
    private readonly proposals: WriteProposals,
    private readonly cursors: CursorCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROUTES) private readonly routes: readonly Route[],
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listWriteProposals',
    summary: 'List write proposals',
    description:
      'Writes that AI clients proposed, in the order of creation. A key sees the proposals of operations that its scopes allow, and its own.',
    capability: 'write_proposals.list',
    query: WriteProposalsQuery,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, WriteProposalsQuery>): Promise<Answer> {
    const { key, query } = call;
    const organisationId = key.organisation.id;
    const { status = null } = query;
    const operations = this.routes.filter(({ operation }) => mayDecide(operation, key)).map(({ operation }) => operation.operationId);
    const visible = { operations, keyId: key.keyId };
    const request = { organisationId, filters: { status }, query };
    const { rows, nextCursor } = await readPage(this.cursors, byCreation('listWriteProposals'), request, (after, count) =>
      listWriteProposals(this.services.executor, { organisationId, status, now: this.clock.now(), visible, after, count }),
    );
    return { data: await Promise.all(rows.map((row) => this.present(this.services.executor, organisationId, row))), nextCursor };
  }

  @Get(':writeProposalId')
  @Operation({
    ...COMMON,
    operationId: 'getWriteProposal',
    summary: 'Read a write proposal',
    description: 'Returns what would be written, with the values before, and what became of it.',
    capability: 'write_proposals.read',
    tools: [
      {
        name: 'get_write_proposal',
        title: 'Read a write proposal',
        description: 'Reads a proposal that a writing tool made: whether a person has approved it, and whether it was written.',
      },
    ],
    parameters: WriteProposalParameters,
  })
  async read(@Receive() call: ProposalCall): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    return { data: await this.present(this.services.executor, organisationId, await this.visible(call)) };
  }

  @Post(':writeProposalId/approve')
  @Operation({
    ...DECISIONS,
    operationId: 'approveWriteProposal',
    summary: 'Approve a write proposal',
    description:
      'Makes the proposed write once, if the resource has not changed since it was proposed: see the status of the answer. Needs the scope of the proposed operation. The key that proposed cannot approve, and neither can who made it, who was made by it, or who acts for the same user.',
    capability: 'write_proposals.approve',
  })
  async approve(@Receive() call: ProposalCall): Promise<Answer> {
    const { id, command } = await this.decision(call, 'approve');
    const organisationId = call.key.organisation.id;
    // The answer shows what became of the write, so it is not stored with the decision.
    const { receipt: _, ...context } = call.command!;
    const isRepeat = await isRecorded(this.services.store, context, {
      stream: writeProposalAggregate.streamOf(organisationId, id),
      part: command.type,
    });
    await commandProposal(this.services, context, id, command);
    await this.proposals.carryOutSoon(organisationId, id);
    return commit(this.services, call.command!, async ({ unit }) => {
      if (isRepeat) unit.noteFound();
      const row = await this.visible(call);
      return async ({ executor }) => ({ data: await this.present(executor, organisationId, row) });
    });
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
    return this.end(call, await this.decision(call, 'reject'));
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
        description: 'Withdraws a proposal that this key made and nobody has decided about. It runs at once.',
      },
    ],
  })
  async cancel(@Receive() call: ProposalCall): Promise<Answer> {
    const { id } = await this.visible(call);
    return this.end(call, { id, command: { type: 'cancel', keyId: call.key.keyId, now: this.clock.now().toISOString() } });
  }

  /** Records a command after which nothing is written, and answers with the proposal. */
  private end(call: ProposalCall, { id, command }: WantedCommand): Promise<Answer> {
    return commit(this.services, call.command!, async (within) => {
      const ended = await stageProposal(this.services, within, id, command);
      return async (written) => ({ data: await this.present(written.executor, within.organisationId, await ended(written)) });
    });
  }

  private async decision(call: ProposalCall, type: 'approve' | 'reject'): Promise<WantedCommand> {
    const row = await this.visible(call);
    const route = this.proposals.routeOf(row.operation);
    const obstacle = route === null ? null : obstacleOf(route.operation, call.key);
    if (route !== null && obstacle !== null) throw deniedBy(obstacle, route.operation, call.key);
    const decision = { by: call.key.actor, now: this.clock.now().toISOString() };
    const isRelated = type === 'approve' && (await this.isRelated(call, row.key_id));
    return { id: row.id, command: type === 'approve' ? { type, ...decision, isRelated } : { type, ...decision } };
  }

  private async isRelated({ key }: ProposalCall, proposer: string): Promise<boolean> {
    const { executor } = this.services;
    const owner = key.ownerOrganisationId;
    const [proposing, deciding] = await Promise.all([
      chainOf(executor, owner, { type: 'api_key', id: proposer }),
      chainOf(executor, owner, key.actor),
    ]);
    return proposer !== key.keyId && isOfProposer(proposing, deciding);
  }

  /** The proposal of a path. Throws as for an unknown one where the key may neither decide it nor has proposed it. */
  private async visible({ key, parameters }: ProposalCall): Promise<WriteProposalRow> {
    const row = await writeProposalTable.require(this.services.executor, key.organisation.id, parameters.writeProposalId);
    const operation = this.proposals.routeOf(row.operation)?.operation;
    const isVisible = row.key_id === key.keyId || (operation !== undefined && mayDecide(operation, key));
    return found(isVisible ? row : null);
  }

  private async present(executor: Executor, organisationId: string, row: WriteProposalRow): Promise<WriteProposalResponse> {
    const content = await openContent(executor, organisationId, row);
    const summary = this.proposals.routeOf(row.operation)?.operation.summary ?? row.operation;
    return presentProposal(row, content, { summary, now: this.clock.now() });
  }
}

/** Whether the scopes of a key allow an operation that writes. */
function mayDecide({ write, scope }: Route['operation'], { scopes }: AuthenticatedKey): boolean {
  return write !== undefined && scope !== null && scopes.has(scope);
}
