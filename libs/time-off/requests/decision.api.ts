import { Controller, Get, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { NamedActorResponse } from '#http/actor.js';
import type { Answer, Call } from '#http/call.js';
import { BooleanField, DateTimeField, EnumField, IdField, ObjectField, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { lineProblem } from '#kernel/plain-text.js';
import { found, invalid, RejectedError } from '#kernel/rejection.js';
import { EventSubjects } from '#people/person/event-subjects.js';
import { openJson } from '#people/person/person-seal.js';
import { findTimeOff, timeOffTag } from '../records/read-time-off.js';
import { timeOffAggregate, type TimeOffEvent } from '../records/time-off.js';
import { decideAbout, type RecordedDecision, type DecisionInput } from './request-time-off.js';

const MAX_NOTE_LENGTH = 500;
const NOTE_EXAMPLE = 'Covered by the other team.';

/** A step of a time-off record. */
class DecisionResponse {
  @EnumField(['requested', 'changed', 'approved', 'rejected', 'cancelled', 'shortened'], {
    description: 'shortened: to the days on which the person is employed.',
    example: 'approved',
  })
  readonly decision!: string;
  @DateTimeField()
  readonly decided_at!: string;
  @ObjectField(() => NamedActorResponse)
  readonly decided_by!: NamedActorResponse;
  @ObjectField(() => NamedActorResponse, {
    nullable: true,
    description: 'The approver of the decision, if an AI client proposed it.',
  })
  readonly approved_by!: NamedActorResponse | null;
  @EnumField(['requested', 'employment_ended', 'employment_starts_later'], {
    nullable: true,
    description: 'The reason for a cancellation; null for other steps.',
    example: null,
  })
  readonly because!: string | null;
  @TextField({
    maximumLength: MAX_NOTE_LENGTH,
    nullable: true,
    optional: true,
    description: 'Only with with_notes=true. Null if none was given, and after an erasure of the person.',
    example: NOTE_EXAMPLE,
  })
  readonly note?: string | null;
  @TextField({
    maximumLength: 200,
    nullable: true,
    description: 'As in `Service-Request-Id`; null if no request recorded it.',
    example: 'req_WydAhe9R0QR26nTM.4',
  })
  readonly request_id!: string | null;
}

class DecideTimeOffRequest {
  @EnumField(['approved', 'rejected'], { example: 'approved' })
  readonly decision!: 'approved' | 'rejected';
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_NOTE_LENGTH,
    optional: true,
    nullable: true,
    description: 'The reason, in one line.',
    example: NOTE_EXAMPLE,
  })
  readonly note?: string | null;
}

class DecisionParameters {
  @IdField('timeOff', { description: 'Id of the time-off record.' })
  readonly timeOffId!: string;
}

class DecisionsQuery {
  @BooleanField({ optional: true, description: 'Whether notes are included.', example: true })
  readonly with_notes?: boolean;
}

/** The names of calendar events as steps of a record. */
const STEPS: Readonly<Record<TimeOffEvent['type'], string>> = {
  TimeOffRequested: 'requested',
  TimeOffChanged: 'changed',
  TimeOffApproved: 'approved',
  TimeOffRejected: 'rejected',
  TimeOffCancelled: 'cancelled',
  TimeOffCut: 'shortened',
};

/**
 * An event of a calendar as a step of its record, without its note. `subjects` has fetched the names of its
 * actors.
 */
function presentDecision(event: RecordedEvent, subjects: EventSubjects): DecisionResponse {
  const { actor, approval, request_id } = event.metadata;
  return {
    decision: STEPS[event.type as TimeOffEvent['type']],
    decided_at: event.recordedAt,
    decided_by: subjects.named(actor),
    approved_by: approval === undefined ? null : subjects.named(approval.approved_by),
    because: (event.data['because'] as string | undefined) ?? null,
    request_id,
  };
}

/**
 * The note of a decision; null if there is none, and after an erasure. `subjects` has fetched the key that
 * decrypts it.
 */
function noteOf(event: RecordedEvent, subjects: EventSubjects): string | null {
  const sealed = event.data['sealed_note'] as string | undefined;
  const key = sealed === undefined ? null : subjects.keyOf(event);
  return key === null ? null : (openJson(sealed!, key) as string);
}

class DecideTimeOff extends Command<RecordedDecision> {
  constructor(
    readonly context: CommandContext,
    readonly timeOffId: string,
    readonly decision: DecisionInput,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(DecideTimeOff)
export class DecideTimeOffHandler implements ICommandHandler<DecideTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, timeOffId, decision, ifMatch }: DecideTimeOff): Promise<RecordedDecision> {
    const problem = decision.note === null ? null : lineProblem(decision.note);
    if (problem !== null) throw new RejectedError(invalid('note', problem));
    return decideAbout(this.services, context, timeOffId, decision, ifMatch);
  }
}

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
      'Its steps, oldest first: the actor and the time of each request, change, approval, rejection or cancellation; ' +
      'with `with_notes=true` also the notes of decisions. The record itself never contains them.',
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
      data: steps.map((event) => ({
        ...presentDecision(event, subjects),
        ...(withNotes ? { note: noteOf(event, subjects) } : {}),
      })),
    };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'decideTimeOff',
    people: { of: 'reports' },
    summary: 'Approve or reject time off, with a note',
    description:
      'Like approving and rejecting, with a note, which is encrypted and returned only by the list of decisions. ' +
      '`Service-Resource-ETag` is the tag of the record after it. Emits time_off.approved or time_off.declined, and ' +
      'time_off.updated, without the note.',
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
    const requested = { step: decision === 'approved' ? 'approve' : 'reject', note } as const;
    return send(
      this.commands,
      call,
      (context) => new DecideTimeOff(context, call.parameters.timeOffId, requested, call.ifMatch),
      ({ row, event, subjects }) => ({ data: presentDecision(event, subjects), entityTag: timeOffTag(row) }),
    );
  }
}
