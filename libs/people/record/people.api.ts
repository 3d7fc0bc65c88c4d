import { Controller, Get, Inject, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import type { Reader } from '#http/sight.js';
import { byUpdatedAt, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { todayOf } from '#organisation/organisation/organisation.js';
import { CreatePerson, EndPerson, existingPerson, ReactivatePerson, UpdatePerson } from './change-people.js';
import {
  CreatePersonRequest,
  EndPersonRequest,
  PeopleQuery,
  PersonResponse,
  ReactivatePersonRequest,
  ReportResponse,
  ReportsQuery,
  UpdatePersonRequest,
} from './people-shapes.js';
import { PersonParameters } from '../person/person-reference.js';
import { DIRECTORY, type DirectoryQuery, directoryQueryOf, listDirectory, withDay } from './directory.js';
import { answerWithPerson, presentPerson } from './present-people.js';
import { listPeople, type PeoplePage } from './read-people.js';
import { listReports, REPORTS } from './reports.js';
import { termsOf } from './terms-of-body.js';
import { completeIdentity, identityOf } from '../person/person.js';

const TAGS = ['People'];

@Controller('people')
export class PeopleController {
  constructor(
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    operationId: 'listPeople',
    people: { of: 'sight' },
    summary: 'List people',
    description:
      'In the order of creation, or with sort=updated_at_desc the most recently updated first. Filters, q, other ' +
      'sorts and as_of make it a directory. With updated_since, in the order of change: pass the largest updated_at ' +
      'you have seen next time (begin with 1970-01-01T00:00:00Z for all), and no change is missed.',
    tags: TAGS,
    scope: 'people:read',
    capability: 'people.directory.list',
    tools: [
      {
        name: 'list_people',
        title: 'List people',
        description:
          'Lists the people of the organisation, each with name, e-mail address, job, department, manager and ' +
          "status. q finds a person's id by the beginnings of names.",
        without: [
          'sort',
          'include_units',
          'without_department',
          'manager_id',
          'work_place_id',
          'work_email',
          'staff_id',
          'status',
          'as_of',
          'known_at',
        ],
      },
    ],
    query: PeopleQuery,
    response: PersonResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, PeopleQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const directory = directoryQueryOf(call.query);
    const { reader } = call.sight;
    if (directory !== null) return this.search(reader, organisationId, directory, call.query);
    const { updated_since: since = null, sort = null } = call.query;
    const order: PeoplePage['order'] = sort === 'updated_at_desc' ? 'latest' : since === null ? 'creation' : 'change';
    const request = { organisationId, filters: { updated_since: since, sort }, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, byUpdatedAt('listPeople'), request, (after, count) =>
      listPeople(reader, { organisationId, order, since, horizon: after?.horizon ?? null, after, count }),
    );
    return { data: rows.map(({ person }) => presentPerson(person)), nextCursor };
  }

  private async search(
    reader: Reader,
    organisationId: string,
    directory: DirectoryQuery,
    query: PeopleQuery,
  ): Promise<Answer> {
    const request = { organisationId, filters: { ...directory }, query };
    const { rows, nextCursor } = await readPage(this.cursors, DIRECTORY, request, async (after, count) => {
      const dated = await withDay(this.pool, organisationId, directory, this.clock.now());
      return listDirectory(reader, organisationId, dated, after, count);
    });
    return { data: rows.map(({ person }) => presentPerson(person)), nextCursor };
  }

  @Post()
  @Operation({
    operationId: 'createPerson',
    summary: 'Create a person',
    description: 'Sets up an active starter record. No invitation is sent. Emits person.created.',
    tags: TAGS,
    scope: 'people:write',
    tools: [
      {
        name: 'hire',
        title: 'Hire a person',
        description:
          'Sets up a new person with their e-mail address, names, first day and terms. Ids of departments, managers, ' +
          'work places and patterns come from the reading tools.',
        proposal: { reads: null, personIn: 'new' },
      },
    ],
    capability: 'people.setup.create',
    body: CreatePersonRequest,
    response: PersonResponse,
    successStatus: 201,
    write: { ifMatch: 'none' },
    entityTag: true,
    errors: ['not_found', 'conflict'],
  })
  create(@Receive() call: Call<CreatePersonRequest>): Promise<Answer> {
    const { start_date: startDate = null } = call.body;
    const person = { identity: completeIdentity(call.body), startDate, terms: termsOf(call.body) };
    return send(this.commands, call, (context) => new CreatePerson(context, person), answerWithPerson);
  }

  @Get(':personId')
  @Operation({
    operationId: 'getPerson',
    people: { of: 'sight' },
    summary: 'Read a person',
    description:
      'Returns the identity and the current employment. `Service-Resource-ETag` is the tag for `If-Match` of a change.',
    tags: TAGS,
    scope: 'people:read',
    capability: 'people.directory.read',
    tools: [
      {
        name: 'read_person',
        title: 'Read a person',
        description:
          'Reads the identity and the current employment of a person: names, e-mail address, status, job title, ' +
          'department, manager, work place and days of start and end. For another day or recorded time use ' +
          'read_timeline.',
      },
    ],
    parameters: PersonParameters,
    response: PersonResponse,
    entityTag: true,
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    return answerWithPerson(
      await existingPerson(call.sight.reader, call.key.organisation.id, call.parameters.personId),
    );
  }

  @Get(':personId/reports')
  @Operation({
    operationId: 'listReports',
    people: { of: 'sight' },
    summary: 'List who reports to a person',
    description:
      'People who are employed today and whose manager this person is today, or with depth=all those below them too. ' +
      'Direct reports come first, then by display name.',
    tags: TAGS,
    scope: 'people:read',
    capability: 'people.reports.list',
    parameters: PersonParameters,
    query: ReportsQuery,
    response: ReportResponse,
    responseKind: 'page',
  })
  async reports(@Receive() call: Call<undefined, ReportsQuery, PersonParameters>): Promise<Answer> {
    const { id: organisationId } = call.key.organisation;
    const { personId: managerId } = call.parameters;
    const { depth = 'direct' } = call.query;
    const request = { organisationId, filters: { managerId, depth }, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, REPORTS, request, async (after, count) => {
      await existingPerson(call.sight.reader, organisationId, managerId);
      const day = await todayOf(this.pool, organisationId, this.clock.now());
      return listReports(call.sight.reader, { organisationId, managerId, day, isWhole: depth === 'all' }, after, count);
    });
    return {
      data: rows.map(({ depth: steps, person }) => ({ depth: steps, person: presentPerson(person) })),
      nextCursor,
    };
  }

  @Patch(':personId')
  @Operation({
    operationId: 'updatePerson',
    summary: 'Change the identity of a person',
    description:
      'Identity only: employment changes have their own operations. A request without a change records nothing. ' +
      'Emits person.updated.',
    tags: TAGS,
    scope: 'people:write',
    tools: [
      {
        name: 'change_identity',
        title: 'Change names or e-mail address',
        description:
          'Changes the identity of a person: names, e-mail address or staff id. For job, department, manager or ' +
          'hours use change_terms.',
        proposal: { reads: 'getPerson', personIn: 'path' },
      },
    ],
    capability: 'people.identity.update',
    parameters: PersonParameters,
    body: UpdatePersonRequest,
    response: PersonResponse,
    write: { ifMatch: 'required' },
    entityTag: true,
    errors: ['conflict'],
  })
  update(
    @Receive() { parameters, body, ifMatch, command }: Call<UpdatePersonRequest, unknown, PersonParameters>,
  ): Promise<Answer> {
    const commandOf = (context: CommandContext) =>
      new UpdatePerson(context, parameters.personId, ifMatch, identityOf(body));
    return send(this.commands, { command }, commandOf, answerWithPerson);
  }

  @Post(':personId/end')
  @Operation({
    operationId: 'endPerson',
    summary: 'End a person',
    description:
      'Records the inclusive final day of the current period. Emits person.ended, and person.updated on the day ' +
      'after a final day in the future.',
    tags: TAGS,
    scope: 'people:write',
    tools: [
      {
        name: 'end_employment',
        title: 'End an employment',
        description: 'Records the last day of employment of a person. Time off after it is cancelled.',
        proposal: { reads: 'getPerson', personIn: 'path' },
      },
    ],
    capability: 'people.lifecycle.end',
    parameters: PersonParameters,
    body: EndPersonRequest,
    response: PersonResponse,
    write: { ifMatch: 'required' },
    entityTag: true,
    errors: ['conflict'],
  })
  end(
    @Receive() { parameters, body, ifMatch, command }: Call<EndPersonRequest, unknown, PersonParameters>,
  ): Promise<Answer> {
    const commandOf = (context: CommandContext) => new EndPerson(context, parameters.personId, ifMatch, body.end_date);
    return send(this.commands, { command }, commandOf, answerWithPerson);
  }

  @Post(':personId/reactivate')
  @Operation({
    operationId: 'reactivatePerson',
    summary: 'Rehire an ended person',
    description:
      'Begins a new period after the prior one. The period inherits no terms: include all its terms. Emits ' +
      'person.reactivated.',
    tags: TAGS,
    scope: 'people:write',
    tools: [
      {
        name: 'rehire',
        title: 'Rehire a person',
        description: 'Begins a new period of employment of a person who left, from a first day on.',
        proposal: { reads: 'getPerson', personIn: 'path' },
      },
    ],
    capability: 'people.lifecycle.reactivate',
    parameters: PersonParameters,
    body: ReactivatePersonRequest,
    response: PersonResponse,
    write: { ifMatch: 'required' },
    entityTag: true,
    errors: ['conflict'],
  })
  reactivate(
    @Receive() { parameters, body, ifMatch, command }: Call<ReactivatePersonRequest, unknown, PersonParameters>,
  ): Promise<Answer> {
    const { personId } = parameters;
    const commandOf = (context: CommandContext) =>
      new ReactivatePerson(context, personId, ifMatch, body.start_date, termsOf(body));
    return send(this.commands, { command }, commandOf, answerWithPerson);
  }
}
