import { Controller, Get, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK, ROUTES } from '#http/injection-tokens.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import { byCreation, readPage } from '#http/pages.js';
import { deniedBy, obstacleOf } from '#http/pipeline/guards.js';
import { send } from '#http/send.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { ResourceServices } from '../../services/resource-services.js';
import { chainOf, isOfProposer } from '../access/makers.js';
import { type ReadProposal, readProposal } from './proposal-content.js';
import { presentProposal } from './proposal.presentation.js';
import { WriteProposalParameters, WriteProposalResponse, WriteProposalsQuery } from './write-proposal.contract.js';
import { ApproveWriteProposal, EndWriteProposal } from './write-proposal.handlers.js';
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

@Controller('write-proposals')
export class WriteProposalController {
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
    const read = await Promise.all(rows.map((row) => readProposal(this.services.executor, organisationId, row)));
    return { data: read.map((proposal) => this.present(proposal)), nextCursor };
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
    return this.answer(await readProposal(this.services.executor, organisationId, await this.visible(call)));
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
    const row = await this.decidable(call);
    const approval = { type: 'approve', ...this.decisionBy(call), isRelated: await this.isRelated(call, row.key_id) } as const;
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
        description: 'Withdraws a proposal that this key made and nobody has decided about. It runs at once.',
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

  /** The proposal of a path. Throws where the key may not decide it. */
  private async decidable(call: ProposalCall): Promise<WriteProposalRow> {
    const row = await this.visible(call);
    const route = this.proposals.routeOf(row.operation);
    const obstacle = route === null ? null : obstacleOf(route.operation, call.key);
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
