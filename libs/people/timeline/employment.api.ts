import { Controller, Get, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError } from '#http/errors.js';
import { namedFields } from '#kernel/json.js';
import type { Issue } from '#kernel/rejection.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { isSafeInteger, type PagedList, readPage } from '#http/pages.js';
import { ResourceServices } from '#commands/resource-services.js';
import { existingPerson } from '../record/change-people.js';
import { PersonParameters } from '../person/person-reference.js';
import { employmentTag } from '../record/present-people.js';
import { namesReadWith } from '../record/references.js';
import { NO_TERMS } from '../employment/timeline.js';
import { termsOf } from '../record/terms-of-body.js';
import { ChangeEmployment, type FactRequest, RecordFact } from './change-employment.js';
import {
  BeliefsResponse,
  ChangeEmploymentRequest,
  EmploymentResponse,
  FactResponse,
  HistoryQuery,
  RecordFactRequest,
  TimelineQuery,
  TimelineResponse,
} from './employment-shapes.js';
import { presentEmployment, presentFact } from './present-employment.js';
import { historyTag, listFacts } from './read-facts.js';
import { readBeliefs, readTimeline } from './read-timeline.js';

const TAGS = ['Employment'];
const FACTS: PagedList<{ readonly revision: number }, { readonly revision: number }> = {
  route: 'listEmploymentFacts',
  place: { revision: isSafeInteger },
  placeOf: ({ revision }) => ({ revision }),
};

@Controller('people/:personId')
export class EmploymentController {
  constructor(
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
    private readonly timelines: ResourceServices,
  ) {}

  @Get('employment')
  @Operation({
    operationId: 'getEmployment',
    people: { of: 'sight' },
    summary: 'Read the employment in force',
    description: 'After the end of employment the last terms in force; before the start the first ones.',
    tags: TAGS,
    scope: 'people:read',
    capability: 'employment.current.read',
    parameters: PersonParameters,
    response: EmploymentResponse,
    entityTag: true,
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const row = await existingPerson(call.sight.reader, call.key.organisation.id, call.parameters.personId);
    return { data: presentEmployment(row), entityTag: employmentTag(row) };
  }

  @Patch('employment')
  @Operation({
    operationId: 'changeEmployment',
    summary: 'Change the terms from a day on',
    description:
      'Absent terms carry forward; later dated facts keep the terms that they set. A start_date in the future takes ' +
      'effect on its day. Concerns the current or the coming period. Emits person.updated, and again on the ' +
      'effective date of a future change.',
    tags: TAGS,
    scope: 'people:write',
    tools: [
      {
        name: 'change_terms',
        title: 'Promote, move or change other terms',
        description:
          'Sets other terms from start_date on, such as a promotion, another department, manager or hours: include ' +
          'only the changes. Use correct_history for facts that were recorded by mistake.',
        proposal: { reads: 'getEmployment', personIn: 'path' },
      },
    ],
    capability: 'employment.terms.change',
    parameters: PersonParameters,
    body: ChangeEmploymentRequest,
    response: EmploymentResponse,
    write: { ifMatch: 'required' },
    entityTag: true,
    errors: ['conflict'],
  })
  change(@Receive() call: Call<ChangeEmploymentRequest, unknown, PersonParameters>): Promise<Answer> {
    const { parameters, body, ifMatch } = call;
    const terms = termsOf(body);
    return send(
      this.commands,
      call,
      (context) => new ChangeEmployment(context, parameters.personId, body.start_date, terms, ifMatch),
      (row) => ({ data: presentEmployment(row), entityTag: employmentTag(row) }),
    );
  }

  @Post('employment-history')
  @Operation({
    operationId: 'recordEmploymentFact',
    summary: 'Correct history with a new fact',
    description:
      'A new immutable fact; the superseded fact stays readable as it was known. May concern former periods too. ' +
      'With withdraw, a change, a correction, an end or a rehire that was recorded by mistake is withdrawn, which ' +
      'restores the timeline before it. Emits person.updated.',
    tags: TAGS,
    scope: 'people:write',
    tools: [
      {
        name: 'correct_history',
        title: 'Correct recorded employment',
        description:
          'Corrects facts that were recorded by mistake, with a reason. corrects is the fact_id of the fact that it ' +
          'replaces (list_employment_facts). withdraw, only with corrects and correction_reason, withdraws that ' +
          'fact. Use change_terms for real changes.',
        proposal: { reads: 'getEmployment', personIn: 'path' },
      },
    ],
    capability: 'employment.history.correct',
    parameters: PersonParameters,
    body: RecordFactRequest,
    response: FactResponse,
    successStatus: 201,
    write: { ifMatch: 'honoured' },
    entityTag: true,
    errors: ['conflict'],
  })
  async record(@Receive() call: Call<RecordFactRequest, unknown, PersonParameters>): Promise<Answer> {
    const request = requestOf(call.body);
    return send(
      this.commands,
      call,
      (context) => new RecordFact(context, call.parameters.personId, request, call.ifMatch),
      ({ fact, references, person }) => ({ data: presentFact(fact, references), entityTag: employmentTag(person) }),
    );
  }

  @Get('employment-history')
  @Operation({
    operationId: 'listEmploymentFacts',
    people: { of: 'oneself' },
    summary: 'List the facts of an employment',
    description: 'Every recorded fact, newest first, including superseded ones.',
    tags: TAGS,
    scope: 'people:read',
    capability: 'employment.history.list',
    tools: [
      {
        name: 'list_employment_facts',
        title: 'List every recorded fact of an employment',
        description:
          "Lists every recorded fact of a person's employment, newest first, including superseded ones: hires, " +
          'changes, corrections with their reasons, ends and rehires, each with its effective date, its recorded ' +
          'time and its actor.',
      },
    ],
    parameters: PersonParameters,
    query: HistoryQuery,
    response: FactResponse,
    responseKind: 'page',
    entityTag: true,
  })
  async list(@Receive() call: Call<undefined, HistoryQuery, PersonParameters>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { personId } = call.parameters;
    const request = { organisationId, filters: { personId }, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, FACTS, request, async (after, count) => {
      await existingPerson(call.sight.reader, organisationId, personId);
      return listFacts(call.sight.reader, { organisationId, personId }, { before: after?.revision ?? null, count });
    });
    const current = rows[0];
    // After the last fact, no row contains the person's current content.
    if (current === undefined)
      return {
        data: [],
        nextCursor,
        entityTag: employmentTag(await existingPerson(call.sight.reader, organisationId, personId)),
      };
    const names = namesReadWith([
      ...rows.map((fact) => ({ ...NO_TERMS, ...fact, ...fact.terms })),
      current.shown_terms,
    ]);
    return { data: rows.map((fact) => presentFact(fact, names)), nextCursor, entityTag: historyTag(current, names) };
  }

  @Get('timeline')
  @Operation({
    operationId: 'getTimeline',
    people: { of: 'sight', needsDay: true },
    summary: 'Read a bitemporal timeline of an employment',
    description:
      'The terms in force on a day (as_of), as they were known at a time (known_at), and the changes between two ' +
      'recorded times (compare_known_at).',
    tags: TAGS,
    scope: 'people:read',
    capability: 'employment.timeline.read',
    tools: [
      {
        name: 'read_timeline',
        title: "Read a person's employment as of a day",
        description:
          "Reads the terms of a person's employment that were in force on a day (as_of), as they were known at a " +
          'time (known_at): a later correction has no effect before it was recorded. By default today, as currently ' +
          'known.',
        without: ['compare_known_at'],
      },
      {
        name: 'compare_known_dates',
        title: 'Compare the knowledge at two times',
        description:
          "Compares the timeline of a person's employment known at known_at with the one known at compare_known_at: " +
          'each difference with its days, the field, the values before and after, and the fact that caused it.',
        requires: ['known_at', 'compare_known_at'],
      },
    ],
    parameters: PersonParameters,
    query: TimelineQuery,
    response: TimelineResponse,
    entityTag: true,
  })
  async timeline(@Receive() call: Call<undefined, TimelineQuery, PersonParameters>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { personId } = call.parameters;
    // Waiting for a known time writes to the stream, so the person must exist.
    if (call.query.known_at !== undefined || call.query.compare_known_at !== undefined) {
      await existingPerson(call.sight.reader, organisationId, personId);
    }
    const {
      timeline: data,
      entityTag,
      isCreated,
    } = await readTimeline(this.timelines, { organisationId, personId }, call.query, call.sight.reader);
    if (!isCreated) throw new HttpError('not_found');
    return { data, entityTag };
  }

  @Get('timeline/beliefs')
  @Operation({
    operationId: 'listTimelineBeliefs',
    people: { of: 'oneself' },
    summary: 'Read every belief about an employment',
    description:
      'The bitemporal timeline for a chart: each belief with its days (effective) and the times between which it was ' +
      'held (known), and the facts that created them. For each day and time it has the belief that the timeline ' +
      'returns.',
    tags: TAGS,
    scope: 'people:read',
    capability: 'employment.timeline.beliefs',
    parameters: PersonParameters,
    response: BeliefsResponse,
  })
  async beliefs(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { personId } = call.parameters;
    const { employment_revision: revision } = await existingPerson(call.sight.reader, organisationId, personId);
    return {
      data: await readBeliefs(
        call.sight.reader,
        { organisationId, personId },
        revision + 1,
        call.key.scopes.has('audit:read'),
      ),
    };
  }
}

/**
 * The command of a body. Throws {@link HttpError} (400) for fields that are missing or cannot be combined.
 */
function requestOf({ withdraw = false, ...body }: RecordFactRequest): FactRequest {
  const { start_date: startDate, correction_reason: correctionReason, corrects = null, ...terms } = body;
  if (withdraw) {
    if (corrects === null) throw refused([{ field: 'corrects', issue: 'is required with withdraw' }]);
    const named = Object.keys(namedFields({ start_date: startDate, ...terms }));
    if (named.length > 0)
      throw refused(
        named.map((field) => ({ field, issue: 'cannot be combined with withdraw: the fact is withdrawn completely' })),
      );
    return { type: 'withdraw', correctionReason, corrects };
  }
  if (startDate === undefined) throw refused([{ field: 'start_date', issue: 'is required' }]);
  return { type: 'correct', startDate, terms: termsOf(body), correctionReason, corrects };
}

function refused(details: readonly Issue[]): HttpError {
  return new HttpError('invalid_request', { details });
}
