import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { HttpError } from '#http/errors.js';
import { CallCommand } from '#http/operation.js';
import type { Issue } from '#kernel/rejection.js';
import { requireIfMatch } from '#http/headers/write-headers.js';
import { assertMatches } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { namedFields } from '#kernel/json.js';
import { changeablePerson, employmentAfter, rowsShown, termsOf } from '../people/people.commands.js';
import type { PersonParameters } from '../person/person.contract.js';
import { employmentTag } from '../people/people.presenter.js';
import { type EmploymentRequest, type Expectation, PeopleWriter } from '../people/people-writer.js';
import type { ChangeEmploymentRequest, RecordFactRequest } from './employment.contract.js';
import type { EmploymentState } from '../employment/employment.decider.js';
import { presentEmployment, presentFact } from './employment.presenter.js';
import { factRows } from '../employment/history.projection.js';

export class ChangeEmployment extends CallCommand<Call<ChangeEmploymentRequest, unknown, PersonParameters>> {}
export class RecordFact extends CallCommand<Call<RecordFactRequest, unknown, PersonParameters>> {}

@CommandHandler(ChangeEmployment)
export class ChangeEmploymentHandler implements ICommandHandler<ChangeEmployment> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute({ call }: ChangeEmployment): Promise<Answer> {
    const terms = termsOf(call.body);
    return commit(this.writer.services, call.command!, async (within) => {
      const row = await changeablePerson(this.pool, within.organisationId, call.parameters.personId);
      const request = { type: 'change', startDate: call.body.start_date, terms, today: within.today } as const;
      const references = await this.writer.referencesOf(within, terms);
      const expectation: Expectation<EmploymentState> = async (state, revision) => {
        const ifMatch = requireIfMatch(call);
        assertMatches(ifMatch, ...(await rowsShown(this.pool, within, row, state, revision)).map(employmentTag));
      };
      const result = await this.writer.stageFact(within, row.person_id, request, references, expectation, row.employment_revision);
      return async ({ executor }) => {
        const answered = { ...row, ...(await employmentAfter(executor, within, result)) };
        return { data: presentEmployment(answered), entityTag: employmentTag(answered) };
      };
    });
  }
}

@CommandHandler(RecordFact)
export class RecordFactHandler implements ICommandHandler<RecordFact> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  async execute({ call }: RecordFact): Promise<Answer> {
    const request = requestOf(call.body);
    const terms = termsOf(call.body);
    return commit(this.writer.services, call.command!, async (within) => {
      const row = await changeablePerson(this.pool, within.organisationId, call.parameters.personId);
      const references = await this.writer.referencesOf(within, terms);
      const expectation: Expectation<EmploymentState> = async (state, revision) =>
        assertMatches(call.ifMatch, ...(await rowsShown(this.pool, within, row, state, revision)).map(employmentTag));
      const expected = call.ifMatch === null ? null : expectation;
      const result = await this.writer.stageFact(within, row.person_id, request, references, expected, row.employment_revision);
      return async ({ executor }) => {
        const fact = factRows(result.events, result.events.length - 2).at(-1)! as unknown as Parameters<typeof presentFact>[0];
        const answered = { ...row, ...(await employmentAfter(executor, within, result)) };
        const recorded = { ...fact, recorded_at: new Date(result.events.at(-1)!.recordedAt) };
        return { data: presentFact(recorded, references), entityTag: employmentTag(answered) };
      };
    });
  }
}

/** What a body records. Throws {@link HttpError} (400) for fields that are missing or do not go together. */
function requestOf({ withdraw = false, ...body }: RecordFactRequest): EmploymentRequest {
  const { start_date: startDate, correction_reason: correctionReason, corrects = null, ...terms } = body;
  if (withdraw) {
    if (corrects === null) throw refused([{ field: 'corrects', issue: 'is required with withdraw' }]);
    const named = Object.keys(namedFields({ start_date: startDate, ...terms }));
    if (named.length > 0)
      throw refused(named.map((field) => ({ field, issue: 'does not go with withdraw: the fact is taken back whole' })));
    return { type: 'withdraw', correctionReason, corrects };
  }
  if (startDate === undefined) throw refused([{ field: 'start_date', issue: 'is required' }]);
  return { type: 'correct', startDate, terms: termsOf(body), correctionReason, corrects };
}

function refused(details: readonly Issue[]): HttpError {
  return new HttpError('invalid_request', { details });
}

/** The handlers of this file, for the module. */
export const EMPLOYMENT_COMMAND_HANDLERS = [ChangeEmploymentHandler, RecordFactHandler];
