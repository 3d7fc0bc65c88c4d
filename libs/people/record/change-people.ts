import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import type { CommandContext } from '#commands/command-context.js';
import { type CommandResult, requireMatch } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import type { Executor } from '#projections/projection.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import type { LocalDate } from '#kernel/dates.js';
import { conflict, found, RejectedError } from '#kernel/rejection.js';
import type { EmploymentState } from '../employment/employment.js';
import { employmentAsOf } from '../employment/employment-as-of.js';
import type { Terms, CompleteTerms } from '../employment/timeline.js';
import { type EmploymentRequest, type Expectation, type NewPerson, PeopleWriter } from './people-writer.js';
import { findPerson, findPersonWithKey } from './read-people.js';
import { personTag } from './present-people.js';
import {
  employmentColumns,
  type EmploymentOfRow,
  identityColumns,
  type IdentityOfRow,
  type NamesOfTerms,
  type PersonRow,
} from './person-row.js';
import { refuseErased } from '../person/person-keys.js';
import { type Identity, type PersonState } from '../person/person.js';
import { findReferences, withNames } from './references.js';

export class CreatePerson extends Command<PersonRow> {
  constructor(
    readonly context: CommandContext,
    readonly person: NewPerson,
  ) {
    super();
  }
}

/** The changes of a person whom the caller has read. */
abstract class ChangeOfPerson extends Command<PersonRow> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    /** The entity tags that the caller expects; a command without any is refused. */
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

export class UpdatePerson extends ChangeOfPerson {
  constructor(
    context: CommandContext,
    personId: string,
    ifMatch: readonly string[] | null,
    readonly identity: Identity,
  ) {
    super(context, personId, ifMatch);
  }
}

export class EndPerson extends ChangeOfPerson {
  constructor(
    context: CommandContext,
    personId: string,
    ifMatch: readonly string[] | null,
    readonly endDate: LocalDate,
  ) {
    super(context, personId, ifMatch);
  }
}

export class ReactivatePerson extends ChangeOfPerson {
  constructor(
    context: CommandContext,
    personId: string,
    ifMatch: readonly string[] | null,
    readonly startDate: LocalDate,
    readonly terms: Terms,
  ) {
    super(context, personId, ifMatch);
  }
}

@CommandHandler(CreatePerson)
class CreatePersonHandler implements ICommandHandler<CreatePerson> {
  constructor(private readonly writer: PeopleWriter) {}

  execute({ context, person }: CreatePerson): Promise<PersonRow> {
    return commit(this.writer.services, context, async (within) => {
      const { personId, employment, identity } = await this.writer.stageCreate(
        within,
        person,
        await this.writer.referencesOf(within, person.terms),
      );
      return async ({ executor }) => ({
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
class UpdatePersonHandler implements ICommandHandler<UpdatePerson> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute({ context, personId, identity: named, ifMatch }: UpdatePerson): Promise<PersonRow> {
    return commit(this.writer.services, context, async (within) => {
      const { organisationId } = within;
      const { row, key: sealedKey } = found(await findPersonWithKey(this.pool, organisationId, personId));
      const key = await openPersonKey(this.pool, { organisationId, personId }, sealedKey);
      if (key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
      const expectation: Expectation<PersonState> = (_state, revision) =>
        requireMatch(ifMatch, personTag({ ...row, identity_revision: revision }));
      const identity = await this.writer.stageIdentity(within, personId, key, named, expectation);
      return () => ({ ...row, ...(identityColumns(identity.events, identity.state) as unknown as IdentityOfRow) });
    });
  }
}

@CommandHandler(EndPerson)
class EndPersonHandler implements ICommandHandler<EndPerson> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute(command: EndPerson): Promise<PersonRow> {
    return changePersonsEmployment(this.pool, this.writer, command, { type: 'end', endDate: command.endDate }, {});
  }
}

@CommandHandler(ReactivatePerson)
class ReactivatePersonHandler implements ICommandHandler<ReactivatePerson> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute(command: ReactivatePerson): Promise<PersonRow> {
    const { startDate, terms } = command;
    return changePersonsEmployment(this.pool, this.writer, command, { type: 'reactivate', startDate, terms }, terms);
  }
}

/** The handlers of this file, for the module. */
export const PEOPLE_COMMAND_HANDLERS = [
  CreatePersonHandler,
  UpdatePersonHandler,
  EndPersonHandler,
  ReactivatePersonHandler,
];

/** The person of this id. Throws {@link RejectedError} if the organisation has none. */
export async function existingPerson(executor: Executor, organisationId: string, personId: string): Promise<PersonRow> {
  return found(await findPerson(executor, organisationId, personId));
}

/** The same for a write, which is refused for an erased person as well. */
export async function changeablePerson(pool: Pool, organisationId: string, personId: string): Promise<PersonRow> {
  const row = await existingPerson(pool, organisationId, personId);
  refuseErased(row);
  return row;
}

/** The employment of a person's row right after a command, with current names. */
export async function employmentAfter(
  executor: Executor,
  { organisationId, today }: Pick<CommandContext, 'organisationId' | 'today'>,
  { events }: CommandResult<EmploymentState>,
): Promise<EmploymentOfRow> {
  return currentlyNamed(
    executor,
    organisationId,
    employmentColumns(events, today) as unknown as Omit<EmploymentOfRow, keyof NamesOfTerms>,
  );
}

/** Terms with the current names of their resources. */
async function currentlyNamed<Shown extends CompleteTerms>(
  executor: Executor,
  organisationId: string,
  terms: Shown,
): Promise<Shown & NamesOfTerms> {
  return withNames(terms, await findReferences(executor, organisationId, [terms]));
}

function changePersonsEmployment(
  pool: Pool,
  writer: PeopleWriter,
  { context, personId, ifMatch }: ChangeOfPerson,
  request: EmploymentRequest,
  terms: Terms,
): Promise<PersonRow> {
  return commit(writer.services, context, async (within) => {
    const row = await changeablePerson(pool, within.organisationId, personId);
    const expectation: Expectation<EmploymentState> = async (state, revision) =>
      requireMatch(ifMatch, ...(await presentedRows(pool, within, row, state, revision)).map(personTag));
    const references = await writer.referencesOf(within, terms);
    const result = await writer.stageFact(within, personId, request, references, expectation, row.employment_revision);
    return async ({ executor }) => ({ ...row, ...(await employmentAfter(executor, within, result)) });
  });
}

/**
 * The representations of the loaded state that reads may have returned: the row as it was read, and the fact
 * in force today if it differs, because the effective-date job has not run yet or another command wrote in
 * the meantime. A caller that has just read either must be able to write. Only the second takes a query, for
 * its names.
 */
export async function presentedRows(
  pool: Executor,
  { organisationId, today }: Pick<CommandContext, 'organisationId' | 'today'>,
  row: PersonRow,
  state: EmploymentState,
  revision: number,
): Promise<readonly PersonRow[]> {
  const isAsRead = row.employment_revision === revision;
  const inForce = employmentAsOf(state.facts, today);
  if (isAsRead && (inForce === null || inForce.factId === row.fact_id)) return [row];
  const inForceRow = inForce === null ? row : { ...row, ...inForce.terms, fact_id: inForce.factId };
  const current = { ...(await currentlyNamed(pool, organisationId, inForceRow)), employment_revision: revision };
  return isAsRead ? [row, current] : [current];
}
