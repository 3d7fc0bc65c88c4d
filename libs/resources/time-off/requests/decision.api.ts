import { Controller, Get, Post } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Written } from '#commands/unit-of-work.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { Answer, Call } from '#http/call.js';
import { CallCommand, Operation, Receive } from '#http/operation.js';
import { lineProblem } from '#kernel/plain-text.js';
import { found, invalid, RejectedError } from '#kernel/rejection.js';
import { EventSubjects } from '../../people/audit-report/event-subjects.js';
import { ResourceServices } from '../../services/resource-services.js';
import { timeOffTag, findTimeOff } from '../records/time-off.queries.js';
import { timeOffAggregate } from '../records/time-off.decider.js';
import { DecideTimeOffRequest, DecisionParameters, DecisionResponse, DecisionsQuery } from './decision.contract.js';
import { noteOf, presentDecision } from './decision.presenter.js';
import { decideAbout } from './time-off.commands.js';

const COMMON = { tags: ['Time off'], response: DecisionResponse, parameters: DecisionParameters } as const;

export class DecideTimeOff extends CallCommand<Call<DecideTimeOffRequest, unknown, DecisionParameters>> {}

@CommandHandler(DecideTimeOff)
export class DecideTimeOffHandler implements ICommandHandler<DecideTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: DecideTimeOff): Promise<Answer> {
    const { decision, note = null } = call.body;
    const problem = note === null ? null : lineProblem(note);
    if (problem !== null) throw new RejectedError(invalid('note', problem));
    const wanted = { step: decision === 'approved' ? 'approve' : 'reject', note } as const;
    return decideAbout(this.services, call.command!, call.parameters.timeOffId, wanted, call.ifMatch, async ({ row, event }, written) => {
      const [data] = await presentAll(written, call.key.organisation.id, [event], false);
      return { data, entityTag: timeOffTag(row) };
    });
  }
}

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
    return { data: await presentAll(this.services, organisationId, steps, call.query.with_notes === true) };
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
    return this.commands.execute(new DecideTimeOff(call));
  }
}

async function presentAll(
  { executor }: Written,
  organisationId: string,
  events: readonly RecordedEvent[],
  withNotes: boolean,
): Promise<readonly DecisionResponse[]> {
  const subjects = new EventSubjects(executor, organisationId);
  await subjects.readNames(events);
  if (withNotes) await subjects.readPersonKeys(events.filter(({ data }) => data['sealed_note'] !== undefined));
  return events.map((event) => ({ ...presentDecision(event, subjects), ...(withNotes ? { note: noteOf(event, subjects) } : {}) }));
}
