import { Controller, Get, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { found } from '#kernel/rejection.js';
import { EventSubjects } from '../../people/audit-report/event-subjects.js';
import { ResourceServices } from '../../services/resource-services.js';
import { timeOffTag, findTimeOff } from '../records/time-off.queries.js';
import { timeOffAggregate } from '../records/time-off.decider.js';
import { DecideTimeOff } from './decision.handlers.js';
import { DecideTimeOffRequest, DecisionParameters, DecisionResponse, DecisionsQuery } from './decision.contract.js';
import { noteOf, presentDecision } from './decision.presenter.js';

const COMMON = { tags: ['Time off'], response: DecisionResponse, parameters: DecisionParameters } as const;

@Controller('time-off/:timeOffId/decisions')
export class DecisionController {
  constructor(
    private readonly services: ResourceServices,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listTimeOffDecisions',
    summary: 'List the decisions about a time-off record',
    description:
      'Its steps, oldest first: who requested, changed, approved, rejected or cancelled it, and when; with `with_notes=true` also the notes of decisions. The record itself never shows them.',
    scope: 'time_off:decisions:read',
    capability: 'time_off.decisions.list',
    query: DecisionsQuery,
    responseKind: 'list',
  })
  async list(@Receive() call: Call<undefined, DecisionsQuery, DecisionParameters>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { timeOffId } = call.parameters;
    const { person_id: personId } = found(await findTimeOff(this.services.executor, organisationId, timeOffId));
    const stream = await this.services.store.readStream(timeOffAggregate.streamOf(organisationId, personId));
    const steps = stream.filter(({ data }) => data['time_off_id'] === timeOffId);
    const withNotes = call.query.with_notes === true;
    const subjects = new EventSubjects(this.services.executor, organisationId);
    await subjects.readNames(steps);
    if (withNotes) await subjects.readPersonKeys(steps.filter(({ data }) => data['sealed_note'] !== undefined));
    return {
      data: steps.map((event) => ({ ...presentDecision(event, subjects), ...(withNotes ? { note: noteOf(event, subjects) } : {}) })),
    };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'decideTimeOff',
    summary: 'Approve or reject time off, with a note',
    description:
      'Does what approving and rejecting do, and keeps a note, which is encrypted and shown by the list of decisions alone. `Service-Resource-ETag` is the tag of the record after it. Emits time_off.approved or time_off.declined, and time_off.updated, without the note.',
    scope: 'time_off:write',
    capability: 'time_off.decisions.create',
    body: DecideTimeOffRequest,
    successStatus: 201,
    write: { ifMatch: 'honoured', receipt: 'sealed' },
    entityTag: true,
    errors: ['conflict'],
  })
  decide(@Receive() call: Call<DecideTimeOffRequest, unknown, DecisionParameters>): Promise<Answer> {
    const { decision, note = null } = call.body;
    const wanted = { step: decision === 'approved' ? 'approve' : 'reject', note } as const;
    return send(
      this.commands,
      call,
      (context) => new DecideTimeOff(context, call.parameters.timeOffId, wanted, call.ifMatch),
      ({ row, event, subjects }) => ({ data: presentDecision(event, subjects), entityTag: timeOffTag(row) }),
    );
  }
}
