import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { assertMatches, requireMatch } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { LocalDate } from '#kernel/dates.js';
import { changeablePerson, employmentAfter, presentedRows } from '../record/change-people.js';
import { employmentTag } from '../record/present-people.js';
import { type EmploymentRequest, type Expectation, PeopleWriter } from '../record/people-writer.js';
import type { PersonRow } from '../record/person-row.js';
import type { References } from '../record/references.js';
import type { EmploymentState } from '../employment/employment.js';
import type { Terms } from '../employment/timeline.js';
import type { FactRow } from './present-employment.js';
import { factRows } from '../employment/history.js';

export class ChangeEmployment extends Command<PersonRow> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly startDate: LocalDate,
    readonly terms: Terms,
    /** The entity tags that the caller expects; a command without any is refused. */
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

/** A correction or a withdrawal. */
export type FactRequest = Extract<EmploymentRequest, { type: 'correct' | 'withdraw' }>;

/** A recorded fact with the names of its references, and its person right after it. */
export interface RecordedFact {
  readonly fact: FactRow;
  readonly references: References;
  readonly person: PersonRow;
}

export class RecordFact extends Command<RecordedFact> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly request: FactRequest,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(ChangeEmployment)
class ChangeEmploymentHandler implements ICommandHandler<ChangeEmployment> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute({ context, personId, startDate, terms, ifMatch }: ChangeEmployment): Promise<PersonRow> {
    return commit(this.writer.services, context, async (within) => {
      const row = await changeablePerson(this.pool, within.organisationId, personId);
      const request = { type: 'change', startDate, terms, today: within.today } as const;
      const references = await this.writer.referencesOf(within, terms);
      const expectation: Expectation<EmploymentState> = async (state, revision) =>
        requireMatch(ifMatch, ...(await presentedRows(this.pool, within, row, state, revision)).map(employmentTag));
      const result = await this.writer.stageFact(
        within,
        row.person_id,
        request,
        references,
        expectation,
        row.employment_revision,
      );
      return async ({ executor }) => ({ ...row, ...(await employmentAfter(executor, within, result)) });
    });
  }
}

@CommandHandler(RecordFact)
class RecordFactHandler implements ICommandHandler<RecordFact> {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly writer: PeopleWriter,
  ) {}

  execute({ context, personId, request, ifMatch }: RecordFact): Promise<RecordedFact> {
    return commit(this.writer.services, context, async (within) => {
      const row = await changeablePerson(this.pool, within.organisationId, personId);
      const references = await this.writer.referencesOf(within, request.type === 'correct' ? request.terms : {});
      const expectation: Expectation<EmploymentState> = async (state, revision) =>
        assertMatches(ifMatch, ...(await presentedRows(this.pool, within, row, state, revision)).map(employmentTag));
      const expected = ifMatch === null ? null : expectation;
      const result = await this.writer.stageFact(
        within,
        row.person_id,
        request,
        references,
        expected,
        row.employment_revision,
      );
      return async ({ executor }) => {
        const fact = factRows(result.events, result.events.length - 2).at(-1)! as unknown as FactRow;
        return {
          fact: { ...fact, recorded_at: new Date(result.events.at(-1)!.recordedAt) },
          references,
          person: { ...row, ...(await employmentAfter(executor, within, result)) },
        };
      };
    });
  }
}

/** The handlers of this file, for the module. */
export const EMPLOYMENT_COMMAND_HANDLERS = [ChangeEmploymentHandler, RecordFactHandler];
