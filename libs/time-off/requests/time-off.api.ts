import { Controller, Get, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { readPage } from '#http/pages.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { found } from '#kernel/rejection.js';
import {
  CreateTimeOffRequest,
  TimeOffParameters,
  TimeOffQuery,
  TimeOffResponse,
  UpdateTimeOffRequest,
} from '../records/time-off-shapes.js';
import { CreateTimeOff, StepTimeOff, UpdateTimeOff } from './request-time-off.js';
import { listOfTimeOff } from './list-time-off.js';
import { answerWith } from './present-time-off.js';
import { findTimeOff } from '../records/read-time-off.js';
import { checkWhoIsOut, listWhoIsOut, PersonOut, presentPersonOut, WHO_IS_OUT, WhoIsOutQuery } from './who-is-out.js';

const COMMON = { tags: ['Time off'], response: TimeOffResponse } as const;
const READS = { ...COMMON, scope: 'time_off:read' } as const;
/** The options shared by all operations that change one record. */
const CHANGES = {
  ...COMMON,
  scope: 'time_off:write',
  parameters: TimeOffParameters,
  write: { ifMatch: 'honoured' },
  entityTag: true,
  errors: ['conflict'],
} satisfies Partial<OperationOptions>;

type RecordCall<Body = undefined> = Call<Body, unknown, TimeOffParameters>;

@Controller('time-off')
export class TimeOffController {
  constructor(
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...READS,
    operationId: 'listTimeOff',
    people: { of: 'sight' },
    summary: 'List time off',
    description:
      'Records that touch the window between from and to, both inclusive, in the order of their first days; with ' +
      'sort=updated_at_desc the most recently updated first. With updated_since, in the order of change: pass the ' +
      'largest updated_at you have seen next time, and no change is missed.',
    capability: 'time_off.records.list',
    tools: [
      {
        name: 'who_is_out',
        title: 'Who is out between two days',
        description:
          'Lists the time off that touches the days between from and to, both inclusive, in the order of the first ' +
          'days: the person, the days, the category, and whether it is approved. Pass status approved to exclude ' +
          'requests.',
        without: ['sort', 'updated_since', 'person_id'],
        requires: ['from', 'to'],
      },
      {
        name: 'list_time_off',
        title: 'List requests and records of time off',
        description:
          'Lists time off of any status, by person, category, status or days: use it for pending requests (status ' +
          'pending), or for all time off of one person. For all people who are out on some days, use who_is_out.',
      },
    ],
    query: TimeOffQuery,
    responseKind: 'page',
    errors: ['not_found'],
  })
  list(@Receive() call: Call<undefined, TimeOffQuery>): Promise<Answer> {
    return listOfTimeOff(this.cursors, call);
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'createTimeOff',
    people: { of: 'sight' },
    summary: 'Request time off',
    description:
      'Pending, or approved if its category needs no approval. Days that are not counted because of the working ' +
      'pattern or a public holiday are listed too. Refused if a day, or half of one, overlaps pending or approved ' +
      'time off of the person. Emits time_off.created.',
    scope: 'time_off:write',
    tools: [
      {
        name: 'request_time_off',
        title: 'Request time off for a person',
        description:
          'Requests time off for a person. The category comes from call_read_operation with listTimeOffCategories.',
        proposal: { reads: null, personIn: 'body' },
      },
    ],
    capability: 'time_off.records.create',
    body: CreateTimeOffRequest,
    successStatus: 201,
    write: { ifMatch: 'none' },
    entityTag: true,
    errors: ['not_found', 'conflict'],
  })
  create(@Receive() call: Call<CreateTimeOffRequest>): Promise<Answer> {
    return send(this.commands, call, (context) => new CreateTimeOff(context, call.body), answerWith);
  }

  @Get('who-is-out')
  @Operation({
    tags: COMMON.tags,
    scope: READS.scope,
    response: PersonOut,
    responseKind: 'page',
    operationId: 'listWhoIsOut',
    people: { of: 'sight' },
    summary: 'List who is out',
    description:
      'The people whose time off touches the window, by name, each with that time off. Departments and managers are ' +
      'those of today.',
    capability: 'time_off.who_is_out',
    query: WhoIsOutQuery,
  })
  async whoIsOut(@Receive() call: Call<undefined, WhoIsOutQuery>): Promise<Answer> {
    const { id: organisationId } = call.key.organisation;
    const { limit: _, cursor: __, ...filters } = call.query;
    checkWhoIsOut(call.query);
    const request = { organisationId, filters, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, WHO_IS_OUT, request, (after, count) =>
      listWhoIsOut(call.sight.reader, organisationId, call.query, after, count),
    );
    return { data: rows.map(presentPersonOut), nextCursor };
  }

  @Get(':timeOffId')
  @Operation({
    ...READS,
    operationId: 'getTimeOff',
    people: { of: 'sight' },
    summary: 'Read a time-off record',
    description:
      'Returns the record with each of its days and their counts. `Service-Resource-ETag` is the tag for `If-Match` ' +
      'of a change.',
    capability: 'time_off.records.read',
    parameters: TimeOffParameters,
    entityTag: true,
  })
  async read(@Receive() call: RecordCall): Promise<Answer> {
    const row = found(await findTimeOff(call.sight.reader, call.key.organisation.id, call.parameters.timeOffId));
    return answerWith(row);
  }

  @Patch(':timeOffId')
  @Operation({
    ...CHANGES,
    operationId: 'updateTimeOff',
    summary: 'Change the dates or the category of time off',
    description:
      'The days are counted again, and the record is pending again unless its category needs no approval. A request ' +
      'without a change records nothing. Emits time_off.updated.',
    capability: 'time_off.records.update',
    body: UpdateTimeOffRequest,
  })
  update(@Receive() call: RecordCall<UpdateTimeOffRequest>): Promise<Answer> {
    const { parameters, body, ifMatch } = call;
    return send(
      this.commands,
      call,
      (context) => new UpdateTimeOff(context, parameters.timeOffId, body, ifMatch),
      answerWith,
    );
  }

  @Post(':timeOffId/approve')
  @Operation({
    ...CHANGES,
    operationId: 'approveTimeOff',
    people: { of: 'reports' },
    summary: 'Approve pending time off',
    description: 'Emits time_off.approved and time_off.updated.',
    tools: [
      {
        name: 'approve_time_off',
        title: 'Approve time off',
        description: 'Approves pending time off (list_time_off with status pending).',
        proposal: { reads: 'getTimeOff', personIn: 'read', becomes: { status_code: 'approved' } },
      },
    ],
    capability: 'time_off.records.approve',
  })
  approve(@Receive() call: RecordCall): Promise<Answer> {
    return this.step(call, 'approve');
  }

  @Post(':timeOffId/reject')
  @Operation({
    ...CHANGES,
    operationId: 'rejectTimeOff',
    people: { of: 'reports' },
    summary: 'Reject pending time off',
    description: 'Final. Emits time_off.declined and time_off.updated.',
    tools: [
      {
        name: 'reject_time_off',
        title: 'Reject time off',
        description: 'Rejects pending time off of a person (list_time_off with status pending). Final.',
        proposal: { reads: 'getTimeOff', personIn: 'read', becomes: { status_code: 'rejected' } },
      },
    ],
    capability: 'time_off.records.reject',
  })
  reject(@Receive() call: RecordCall): Promise<Answer> {
    return this.step(call, 'reject');
  }

  @Post(':timeOffId/cancel')
  @Operation({
    ...CHANGES,
    operationId: 'cancelTimeOff',
    people: { of: 'oneself' },
    summary: 'Cancel pending or approved time off',
    description: 'Final. Emits time_off.cancelled.',
    capability: 'time_off.records.cancel',
  })
  cancel(@Receive() call: RecordCall): Promise<Answer> {
    // Employees can withdraw pending requests only; only HR cancels approved time off.
    return this.step(call, call.sight.hidden === null ? 'cancel' : 'withdraw');
  }

  private step(call: RecordCall, step: StepTimeOff['step']): Promise<Answer> {
    return send(
      this.commands,
      call,
      (context) => new StepTimeOff(context, call.parameters.timeOffId, step, call.ifMatch),
      answerWith,
    );
  }
}
