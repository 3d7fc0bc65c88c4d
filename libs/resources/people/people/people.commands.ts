import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import type { CommandContext } from '#commands/command-context.js';
import { assertMatches, type CommandResult } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import type { Executor } from '#projections/projection.js';
import type { Answer, Call } from '#http/call.js';
import { CallCommand } from '#http/operation.js';
import { requireIfMatch } from '#http/headers/write-headers.js';
import { HttpError } from '#http/errors.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { namedFields } from '#kernel/json.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import type { EmploymentState } from '../employment/employment.decider.js';
import { shownOn } from '../employment/shown.js';
import type { Terms, WholeTerms } from '../employment/timeline.js';
import type {
  CreatePersonRequest,
  EndPersonRequest,
  ReactivatePersonRequest,
  TermsRequest,
  UpdatePersonRequest,
} from './people.contract.js';
import type { PersonParameters } from '../person/person.contract.js';
import { findPerson, findPersonWithKey } from './people.reader.js';
import { answerWithPerson, personTag } from './people.presenter.js';
import {
  employmentColumns,
  type EmploymentOfRow,
  identityColumns,
  type IdentityOfRow,
  type NamesOfTerms,
  type PersonRow,
} from './person-row.js';
import { type EmploymentRequest, type Expectation, PeopleWriter } from './people-writer.js';
import { refuseErased } from '../person/person-keys.js';
import { ERASED_ISSUE, type Identity, type PersonState, type WholeIdentity } from '../person/person.decider.js';
import { findReferences, withNames } from './references.js';

type PersonCall<Body> = Call<Body, unknown, PersonParameters>;

export class CreatePerson extends CallCommand<Call<CreatePersonRequest, unknown, unknown>> {}
export class UpdatePerson extends CallCommand<PersonCall<UpdatePersonRequest>> {}
export class EndPerson extends CallCommand<PersonCall<EndPersonRequest>> {}
export class ReactivatePerson extends CallCommand<PersonCall<ReactivatePersonRequest>> {}

@CommandHandler(CreatePerson)
export class CreatePersonHandler implements ICommandHandler<CreatePerson> {
  constructor(private readonly writer: PeopleWriter) {}

  execute({ call }: CreatePerson): Promise<Answer> {
    const terms = termsOf(call.body);
    const person = { identity: wholeIdentityOf(call.body), startDate: call.body.start_date ?? null, terms };
    return commit(this.writer.services, call.command!, async (within) => {
      const { personId, employment, identity } = await this.writer.stageCreation(
        within,
        person,
        await this.writer.referencesOf(within, terms),
      );
      return async ({ executor }) =>
        answerWithPerson({
          person_id: personId,
          effect_revision: null,
          effect_updated_at: null,
          ...(identityColumns(identity.events, identity.state) as unknown as IdentityOfRow),
          ...(await employmentAfter(executor, within, employment)),
        });
    });
  }
}

@CommandHandler(UpdatePerson)
export class UpdatePersonHandler implements ICommandHandler<UpdatePerson> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute({ call }: UpdatePerson): Promise<Answer> {
    const { personId } = call.parameters;
    return commit(this.writer.services, call.command!, async (within) => {
      const { organisationId } = within;
      const found = await findPersonWithKey(this.pool, organisationId, personId);
      if (found === null) throw new HttpError('not_found');
      const key = await openPersonKey(this.pool, { organisationId, personId }, found.key);
      if (key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
      const expectation: Expectation<PersonState> = (_state, revision) =>
        assertMatches(requireIfMatch(call), personTag({ ...found.row, identity_revision: revision }));
      const identity = await this.writer.stageIdentity(within, personId, key, identityOf(call.body), expectation);
      return () => answerWithPerson({ ...found.row, ...(identityColumns(identity.events, identity.state) as unknown as IdentityOfRow) });
    });
  }
}

@CommandHandler(EndPerson)
export class EndPersonHandler implements ICommandHandler<EndPerson> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute({ call }: EndPerson): Promise<Answer> {
    return changePersonsEmployment(this.pool, this.writer, call, { type: 'end', endDate: call.body.end_date }, {});
  }
}

@CommandHandler(ReactivatePerson)
export class ReactivatePersonHandler implements ICommandHandler<ReactivatePerson> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute({ call }: ReactivatePerson): Promise<Answer> {
    const terms = termsOf(call.body);
    return changePersonsEmployment(this.pool, this.writer, call, { type: 'reactivate', startDate: call.body.start_date, terms }, terms);
  }
}

/** The handlers of this file, for the module. */
export const PEOPLE_COMMAND_HANDLERS = [CreatePersonHandler, UpdatePersonHandler, EndPersonHandler, ReactivatePersonHandler];

/** The person of a path; 404 where the organisation has none. */
export async function existingPerson(pool: Pool, organisationId: string, personId: string): Promise<PersonRow> {
  const row = await findPerson(pool, organisationId, personId);
  if (row === null) throw new HttpError('not_found');
  return row;
}

/** The person of a path for a write; 404 where the organisation has none, 409 where the person was erased. */
export async function changeablePerson(pool: Pool, organisationId: string, personId: string): Promise<PersonRow> {
  const row = await existingPerson(pool, organisationId, personId);
  refuseErased(row);
  return row;
}

/** The terms that a body names. */
export function termsOf(body: TermsRequest): Terms {
  const {
    job_title,
    department_id,
    manager_id,
    work_place_id,
    work_type_id,
    working_pattern_id,
    contracted_weekly_minutes,
    full_time_weekly_minutes,
  } = body;
  const terms = {
    job_title,
    department_id,
    manager_id,
    work_place_id,
    work_type_id,
    working_pattern_id,
    contracted_weekly_minutes,
    full_time_weekly_minutes,
  };
  return namedFields(terms) as Terms;
}

/** What a person's row shows of their employment right after a command, with current names. */
export async function employmentAfter(
  executor: Executor,
  { organisationId, today }: Pick<CommandContext, 'organisationId' | 'today'>,
  { events }: CommandResult<EmploymentState>,
): Promise<EmploymentOfRow> {
  return currentlyNamed(executor, organisationId, employmentColumns(events, today) as unknown as Omit<EmploymentOfRow, keyof NamesOfTerms>);
}

/** Terms with the current names of the resources that they refer to. */
async function currentlyNamed<Shown extends WholeTerms>(
  executor: Executor,
  organisationId: string,
  shown: Shown,
): Promise<Shown & NamesOfTerms> {
  return withNames(shown, await findReferences(executor, organisationId, [shown]));
}

function changePersonsEmployment(
  pool: Pool,
  writer: PeopleWriter,
  call: PersonCall<unknown>,
  request: EmploymentRequest,
  terms: Terms,
): Promise<Answer> {
  const { personId } = call.parameters;
  return commit(writer.services, call.command!, async (within) => {
    const row = await changeablePerson(pool, within.organisationId, personId);
    const expectation: Expectation<EmploymentState> = async (state, revision) => {
      const ifMatch = requireIfMatch(call);
      assertMatches(ifMatch, ...(await rowsShown(pool, within, row, state, revision)).map(personTag));
    };
    const references = await writer.referencesOf(within, terms);
    const result = await writer.stageFact(within, personId, request, references, expectation, row.employment_revision);
    return async ({ executor }) => answerWithPerson({ ...row, ...(await employmentAfter(executor, within, result)) });
  });
}

/**
 * The representations of the loaded state that reads may have shown: the row as it was read, and the fact in force today where it differs,
 * because the effective-date job has not run yet or another command wrote in the meantime. A caller who has just read either must be able
 * to write. Only the second takes a round trip, for its names.
 */
export async function rowsShown(
  pool: Executor,
  { organisationId, today }: Pick<CommandContext, 'organisationId' | 'today'>,
  row: PersonRow,
  state: EmploymentState,
  revision: number,
): Promise<readonly PersonRow[]> {
  const isAsRead = row.employment_revision === revision;
  const inForce = shownOn(state.facts, today);
  if (isAsRead && (inForce === null || inForce.factId === row.fact_id)) return [row];
  const shown = inForce === null ? row : { ...row, ...inForce.terms, fact_id: inForce.factId };
  const current = { ...(await currentlyNamed(pool, organisationId, shown)), employment_revision: revision };
  return isAsRead ? [row, current] : [current];
}

function identityOf(body: UpdatePersonRequest): Identity {
  const { work_email, first_name, preferred_name, last_name, staff_id } = body;
  const identity = { work_email, first_name, preferred_name, last_name, staff_id };
  return namedFields(identity) as Identity;
}

function wholeIdentityOf(body: CreatePersonRequest): WholeIdentity {
  const { work_email, first_name = null, preferred_name = null, last_name = null, staff_id = null } = body;
  return { work_email, first_name, preferred_name, last_name, staff_id };
}
