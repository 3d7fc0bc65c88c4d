import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { type CommandResult, handleCommand } from '#commands/handle-command.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Decision } from '#kernel/aggregate.js';
import { RejectedError, type Rejection } from '#kernel/rejection.js';
import type { ProjectionContext, Row } from '#projections/projection.js';
import type { Projector, RowWrite } from '#projections/projector.js';
import type { WritingServices } from '#commands/execute.js';
import { writeAtOnce, writeRows } from '#commands/write-session.js';
import {
  decideEmployment,
  employmentAggregate,
  type EmploymentCommand,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
  initialEmployment,
} from '../employment/employment.decider.js';
import { factsOf } from '../employment/history.projection.js';
import { losesDays } from '../employment/lost-days.js';
import { ManagerGuard } from '../employment/manager-guard.js';
import type { Terms } from '../employment/timeline.js';
import { endTimeOff } from '../../time-off/requests/ending.js';
import {
  decidePerson,
  evolvePerson,
  type Identity,
  initialPerson,
  personAggregate,
  type PersonCommand,
  type PersonEvent,
  type PersonState,
} from '../person/person.decider.js';
import { EmailReservations, STALE_RESERVATION } from './email-reservations.js';
import { openPersonEvent, sealPersonEvent, withSealedFingerprint } from '../person/person-seal.js';
import type { NewPerson } from './creation.js';
import { type LiveReferences, unnamedRejection, whileReferringToTerms } from './live-references.js';
import { identityColumns, type IdentityOfRow } from './person-row.js';
import { archivedReference, type References } from './references.js';

export { STALE_RESERVATION };

/** A person right after their creation, whatever has happened to them since. */
export interface CreatedPerson {
  readonly personId: string;
  readonly employment: CommandResult<EmploymentState>;
  readonly identity: CommandResult<PersonState>;
}

/** Checks the loaded state before the command is decided; throws or rejects where the caller expected another state. */
export type Expectation<State> = (state: State, revision: number) => void | Promise<void>;

/** An employment command as callers give it: the writer adds the person and the id of the fact. */
export type EmploymentRequest = EmploymentCommand extends infer Command
  ? Command extends unknown
    ? Omit<Command, 'personId' | 'factId'>
    : never
  : never;

/** Further conditions of an append to a person's identity. */
interface IdentityConditions {
  readonly expectation?: Expectation<PersonState> | null;
  /** Refuses the command for a reason outside the stream. */
  readonly rejection?: ((state: PersonState) => Rejection | null) | null;
}

/** Facts that can put a person into a department that they do not name. */
const CAN_BRING_BACK: ReadonlySet<EmploymentRequest['type']> = new Set(['correct', 'withdraw']);

/** The dependencies of the writer. */
export interface PeopleWriterParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projector: Projector;
  readonly mint: IdMint;
}

/** Writes every change of a person, for the API and for the command line. Each call is safe to repeat with its context. */
export class PeopleWriter {
  private readonly reservations: EmailReservations;

  constructor(private readonly parts: PeopleWriterParts) {
    this.reservations = new EmailReservations(parts, personAggregate.streamOf);
  }

  /** The id that a person created with this context has. */
  newPersonId(context: CommandContext): string {
    return newPersonId(this.parts.mint, context);
  }

  /**
   * Records a person: employment first, identity last, so that the person exists only after the last append. A retry after a crash
   * completes the creation. Throws {@link RejectedError}: an e-mail address that is taken.
   */
  async create(context: CommandContext, person: NewPerson, references: References): Promise<string> {
    return (await this.createPerson(context, person, references)).personId;
  }

  /** The same, with the outcomes of both streams. */
  async createPerson(context: CommandContext, person: NewPerson, references: References): Promise<CreatedPerson> {
    const { organisationId } = context;
    const personId = this.newPersonId(context);
    // Before the employment is recorded, so that no employment is left without a person, and a dry run decides both.
    const decided = decidePerson({ type: 'create', identity: person.identity }, initialPerson);
    if ('rejection' in decided) throw new RejectedError(decided.rejection);
    const email = person.identity.work_email;
    const { key, since } = await this.reservations.reserveForCreation(organisationId, personId, email);
    const reservation = { organisationId, personId, email, since: () => since };
    const command: EmploymentRequest = { type: 'start', startDate: person.startDate, terms: person.terms };
    // The person exists with the last append. Where an earlier attempt made the first append, the resources that it refers to may be
    // archived by now.
    const rejection = (state: PersonState): Rejection | null =>
      state.status === 'none' ? archivedReference(person.terms, references, person.startDate ?? context.today) : null;
    const { employment, identity } = await this.reservations.releasingOnRejection(reservation, async () => ({
      // The body of a creation names the person, so its fingerprint is keyed in both streams.
      employment: await this.appendEmployment(withSealedFingerprint(context, key), personId, command, references),
      identity: await this.appendIdentity(context, personId, key, { type: 'create', identity: person.identity }, { rejection }),
    }));
    await this.project({ ...knownContext(context), seen: () => null }, [employment.events]);
    await writeAtOnce(this.parts.pool, this.identityRows(identityColumns(identity.events, identity.state)));
    // A person whom an earlier attempt created may have another address by now.
    if (identity.outcome === 'repeated') await this.reservations.release(reservation);
    return { personId, employment, identity };
  }

  /** Does work that gives a person these terms, see {@link whileReferringToTerms}. */
  referring<T>(
    context: CommandContext,
    terms: Terms,
    work: (references: LiveReferences, context: CommandContext) => Promise<T>,
  ): Promise<T> {
    return whileReferringToTerms(this.services, context, terms, work);
  }

  /** Changes identity fields. */
  async changeIdentity(
    context: CommandContext,
    personId: string,
    key: Buffer,
    identity: Identity,
    expectation: Expectation<PersonState>,
  ): Promise<IdentityOfRow> {
    const result = await this.appendIdentity(context, personId, key, { type: 'change', identity }, { expectation });
    const row = identityColumns(result.events, result.state);
    if (result.outcome !== 'unchanged') await writeRows(this.services, context, this.identityRows(row));
    return row as unknown as IdentityOfRow;
  }

  /**
   * Records a fact of a person's employment. Without an expectation, the first command wins. A fact that removes days of employment also
   * removes the time off on those days; a retry after a crash between the two completes this. `seen` is the revision of the employment that
   * the caller has read in the person's row, which saves a look-up.
   */
  async recordFact(
    context: CommandContext,
    personId: string,
    request: EmploymentRequest,
    references: References,
    expectation: Expectation<EmploymentState> | null,
    seen?: number | null,
  ): Promise<CommandResult<EmploymentState>> {
    const managers = new ManagerGuard(this.parts.pool, context.organisationId, personId);
    try {
      const result = await this.appendEmployment(context, personId, request, references, expectation, managers);
      await this.project({ ...knownContext(context), ...(seen === undefined ? {} : { seen: () => seen }) }, [result.events]);
      if (losesDays(result.state.facts.slice(0, -1), result.state.facts)) await endTimeOff(this.services, context, personId);
      return result;
    } finally {
      await managers.end();
    }
  }

  private factIdOf({ organisationId, seed }: CommandContext, personId: string): string {
    return this.parts.mint.prefixed('employmentFact', organisationId, ...seed, personId);
  }

  private get services(): WritingServices {
    const { eventStore: store, pool: executor, projector } = this.parts;
    return { store, executor, projector };
  }

  private appendEmployment(
    context: CommandContext,
    personId: string,
    request: EmploymentRequest,
    references: References,
    expectation: Expectation<EmploymentState> | null = null,
    managers: ManagerGuard | null = null,
  ): Promise<CommandResult<EmploymentState>> {
    const { organisationId } = context;
    const factId = this.factIdOf(context, personId);
    return handleCommand<EmploymentState, EmploymentEvent>(this.parts.eventStore, context, {
      stream: employmentAggregate.streamOf(organisationId, personId),
      initial: initialEmployment,
      evolve: evolveEmployment,
      fold: (events) => ({ facts: factsOf(events) }),
      onConflict: expectation === null ? 'decide_again' : 'refuse',
      decide: async (state, revision): Promise<Decision<EmploymentEvent>> => {
        if (expectation !== null) await expectation(state, revision ?? -1);
        const archived = 'terms' in request ? archivedReference(request.terms, references, request.startDate ?? context.today) : null;
        if (archived !== null) return { rejection: archived };
        const decision = decideEmployment({ ...request, personId, factId } as EmploymentCommand, state);
        if ('rejection' in decision || managers === null) return decision;
        const after = decision.events.reduce(evolveEmployment, state);
        const rejection =
          (CAN_BRING_BACK.has(request.type)
            ? await unnamedRejection(this.services, context, [state.facts, after.facts], references)
            : null) ?? (await managers.rejection(state.facts, after.facts));
        return rejection === null ? decision : { rejection };
      },
    });
  }

  private async appendIdentity(
    context: CommandContext,
    personId: string,
    key: Buffer,
    command: Exclude<PersonCommand, { readonly type: 'erase' }>,
    { expectation = null, rejection = null }: IdentityConditions = {},
  ): Promise<CommandResult<PersonState>> {
    const { organisationId } = context;
    let reserved: string | null = null;
    const append = (): Promise<CommandResult<PersonState>> =>
      handleCommand<PersonState, PersonEvent>(this.parts.eventStore, withSealedFingerprint(context, key), {
        stream: personAggregate.streamOf(organisationId, personId),
        initial: initialPerson,
        evolve: evolvePerson,
        sealed: { seal: (event) => sealPersonEvent(event, key), open: (event) => openPersonEvent(event, key) },
        onConflict: expectation === null ? 'decide_again' : 'refuse',
        decide: async (state, revision) => {
          if (expectation !== null) await expectation(state, revision ?? -1);
          const refused = rejection?.(state) ?? null;
          if (refused !== null) return { rejection: refused };
          const decision = decidePerson(command, state);
          if ('rejection' in decision) return decision;
          const email = emailGainedBy(decision.events);
          if (email !== null) reserved = (await this.reservations.reserve(organisationId, personId, email)).since;
          return decision;
        },
      });
    const email = command.identity.work_email;
    return email === undefined
      ? append()
      : this.reservations.releasingOnRejection({ organisationId, personId, email, since: () => reserved }, append);
  }

  private identityRows(row: Row): readonly RowWrite[] {
    return this.parts.projector.writesOfRows('person', { people: [row] });
  }

  private project(context: ProjectionContext, streams: readonly (readonly RecordedEvent[])[]): Promise<void> {
    return this.parts.projector.project(this.parts.pool, streams, context);
  }
}

/** The id of the person that a command with this context creates: the same for every attempt, and for a dry run. */
export function newPersonId(mint: IdMint, { organisationId, seed }: Pick<CommandContext, 'organisationId' | 'seed'>): string {
  return mint.newPerson(organisationId, seed);
}

/** The rows of an employment do not depend on a key. */
function knownContext({ today }: CommandContext): ProjectionContext {
  return { today: () => today, personKey: () => null };
}

function emailGainedBy(events: readonly PersonEvent[]): string | null {
  const changed = events.find((event) => event.type === 'PersonIdentityChanged');
  return changed?.data.identity.work_email ?? null;
}
