import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { type CommandResult, handleCommand } from '#commands/handle-command.js';
import type { WritingServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { EventStore } from '#event-store/event-store.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Decision } from '#kernel/aggregate.js';
import type { Rejection } from '#kernel/rejection.js';
import type { ProjectionContext } from '#projections/projection.js';
import type { Projector } from '#projections/projector.js';
import {
  decideEmployment,
  employmentAggregate,
  type EmploymentCommand,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
  initialEmployment,
} from '../employment/employment.js';
import { factsOf } from '../employment/history.js';
import { employmentLosesDays } from '../employment/lost-days-policy.js';
import { losesDays } from '../employment/lost-days.js';
import { ManagerGuard } from '../employment/manager-guard.js';
import type { Fact, Terms } from '../employment/timeline.js';
import { openPersonEvent, sealPersonEvent, withSealedFingerprint } from '../person/person-seal.js';
import {
  decidePerson,
  evolvePerson,
  type Identity,
  initialPerson,
  personAggregate,
  type PersonCommand,
  type PersonEvent,
  type PersonState,
  type CompleteIdentity,
} from '../person/person.js';
import { claimEmailAddress, newPersonKey } from './email-addresses.js';
import { lockTerms, unnamedRejection } from './live-references.js';
import { archivedReference, type References } from './references.js';

/** The first data of a new person. */
export interface NewPerson {
  readonly identity: CompleteIdentity;
  readonly startDate: string | null;
  readonly terms: Terms;
}

/** A person right after their creation, without later changes. */
export interface CreatedPerson {
  readonly personId: string;
  readonly employment: CommandResult<EmploymentState>;
  readonly identity: CommandResult<PersonState>;
}

/**
 * Checks the loaded state before the command is decided; throws or rejects if the caller expected another
 * state.
 */
export type Expectation<State> = (state: State, revision: number) => void | Promise<void>;

/** An employment command in the form of callers: the writer adds the person and the id of the fact. */
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

/** Further conditions of an append to a person's employment, and the known state of their rows. */
interface EmploymentConditions {
  readonly expectation?: Expectation<EmploymentState> | null;
  /** Refuses managers that form a cycle; null for a new person, who cannot have reports yet. */
  readonly managers?: ManagerGuard | null;
  /** The employment revision of the person's row; null for none. */
  readonly seen?: number | null;
}

/** Facts that can put a person into a department without naming it. */
const CAN_BRING_BACK: ReadonlySet<EmploymentRequest['type']> = new Set(['correct', 'withdraw']);

/** The dependencies of the writer. */
export interface PeopleWriterParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projector: Projector;
  readonly mint: IdMint;
}

/**
 * Writes every change of a person, for the API and for the command line. Each call is safe to repeat with its
 * context.
 */
export class PeopleWriter {
  constructor(private readonly parts: PeopleWriterParts) {}

  /** The id of a person created with this context. */
  newPersonId(context: CommandContext): string {
    return newPersonId(this.parts.mint, context);
  }

  /** Records a person, see {@link stageCreate}. Returns their id. */
  create(context: CommandContext, person: NewPerson, references: References): Promise<string> {
    return commit(this.services, context, async (within) => {
      const { personId } = await this.stageCreate(within, person, references);
      return () => personId;
    });
  }

  /** Changes identity fields, see {@link stageIdentity}. */
  changeIdentity(
    context: CommandContext,
    personId: string,
    key: Buffer,
    identity: Identity,
    expectation: Expectation<PersonState>,
  ): Promise<void> {
    return commit(this.services, context, async (within) => {
      await this.stageIdentity(within, personId, key, identity, expectation);
      return () => undefined;
    });
  }

  /** Records a fact of a person's employment, see {@link stageFact}. */
  recordFact(
    context: CommandContext,
    personId: string,
    request: EmploymentRequest,
    references: References,
    expectation: Expectation<EmploymentState> | null,
  ): Promise<CommandResult<EmploymentState>> {
    return commit(this.services, context, async (within) => {
      const result = await this.stageFact(within, personId, request, references, expectation);
      return () => result;
    });
  }

  /**
   * Stages a new person: employment first, identity last, so that the person exists only after the last
   * append. A retry after a crash completes the creation. Throws {@link RejectedError}; the unit of work also
   * throws it for an e-mail address that is taken.
   */
  async stageCreate(context: UnitContext, person: NewPerson, references: References): Promise<CreatedPerson> {
    const { organisationId, isDryRun } = context;
    const personId = this.newPersonId(context);
    const key = await newPersonKey(this.parts.pool, { organisationId, personId }, isDryRun === true);
    const command: EmploymentRequest = { type: 'start', startDate: person.startDate, terms: person.terms };
    // If an earlier attempt made the first append, its references may be archived by now.
    const rejection = (state: PersonState): Rejection | null =>
      state.status === 'none' ? archivedReference(person.terms, references, person.startDate ?? context.today) : null;
    // The body of a creation contains the person's name, so its fingerprint is keyed in both streams.
    const employment = await this.stageEmployment(withSealedFingerprint(context, key), personId, command, references, {
      seen: null,
    });
    const identity = await this.stageIdentityCommand(
      context,
      personId,
      key,
      { type: 'create', identity: person.identity },
      { rejection },
    );
    return { personId, employment, identity };
  }

  /** Locks and looks up the references of terms, see {@link lockTerms}. */
  referencesOf(context: UnitContext, terms: Terms): Promise<References> {
    return lockTerms(this.services, context, terms);
  }

  /** Stages a change of identity fields. */
  stageIdentity(
    context: UnitContext,
    personId: string,
    key: Buffer,
    identity: Identity,
    expectation: Expectation<PersonState>,
  ): Promise<CommandResult<PersonState>> {
    return this.stageIdentityCommand(context, personId, key, { type: 'change', identity }, { expectation });
  }

  /**
   * Stages a fact of a person's employment. Without an expectation, the first command wins. A fact that
   * removes days of employment also runs the policies for that. `seen` is the employment revision of the
   * person's row that the caller has read, which saves a look-up.
   */
  async stageFact(
    context: UnitContext,
    personId: string,
    request: EmploymentRequest,
    references: References,
    expectation: Expectation<EmploymentState> | null,
    seen?: number | null,
  ): Promise<CommandResult<EmploymentState>> {
    const managers = new ManagerGuard(this.parts.pool, context, personId);
    const known = seen === undefined ? {} : { seen };
    const result = await this.stageEmployment(context, personId, request, references, {
      expectation,
      managers,
      ...known,
    });
    const { facts } = result.state;
    if (losesDays(facts.slice(0, -1), facts))
      await employmentLosesDays.apply(
        this.services,
        context,
        personId,
        await this.presentFacts(context, personId, result),
      );
    return result;
  }

  /** The facts after the command; for a repeat also later ones of other commands, such as a rehire. */
  private async presentFacts(
    { organisationId }: CommandContext,
    personId: string,
    { state, outcome }: CommandResult<EmploymentState>,
  ): Promise<readonly Fact[]> {
    if (outcome !== 'repeated') return state.facts;
    return factsOf(await this.parts.eventStore.readStream(employmentAggregate.streamOf(organisationId, personId)));
  }

  private factIdOf({ organisationId, seed }: CommandContext, personId: string): string {
    return this.parts.mint.prefixed('employmentFact', organisationId, ...seed, personId);
  }

  /** The services that commit units of work of people. */
  get services(): WritingServices {
    const { eventStore: store, pool: executor, projector } = this.parts;
    return { store, executor, projector };
  }

  private stageEmployment(
    context: UnitContext,
    personId: string,
    request: EmploymentRequest,
    references: References,
    { expectation = null, managers = null, seen }: EmploymentConditions,
  ): Promise<CommandResult<EmploymentState>> {
    const { organisationId } = context;
    const factId = this.factIdOf(context, personId);
    return handleCommand<EmploymentState, EmploymentEvent>(this.parts.eventStore, context, {
      stream: employmentAggregate.streamOf(organisationId, personId),
      initial: initialEmployment,
      evolve: evolveEmployment,
      fold: (events) => ({ facts: factsOf(events) }),
      onConflict: expectation === null ? 'decide_again' : 'refuse',
      projection: { ...knownContext(context), ...(seen === undefined ? {} : { seen: () => seen }) },
      decide: async (state, revision): Promise<Decision<EmploymentEvent>> => {
        if (expectation !== null) await expectation(state, revision ?? -1);
        const archived =
          'terms' in request ? archivedReference(request.terms, references, request.startDate ?? context.today) : null;
        if (archived !== null) return { rejection: archived };
        const decision = decideEmployment({ ...request, personId, factId } as EmploymentCommand, state);
        if ('rejection' in decision || managers === null) return decision;
        const after = decision.events.reduce(evolveEmployment, state);
        const rejection =
          (CAN_BRING_BACK.has(request.type)
            ? await unnamedRejection(this.services, context, [state.facts, after.facts])
            : null) ?? (await managers.rejection(state.facts, after.facts));
        return rejection === null ? decision : { rejection };
      },
    });
  }

  private stageIdentityCommand(
    context: UnitContext,
    personId: string,
    key: Buffer,
    command: Exclude<PersonCommand, { readonly type: 'erase' }>,
    { expectation = null, rejection = null }: IdentityConditions = {},
  ): Promise<CommandResult<PersonState>> {
    const { organisationId, unit } = context;
    return handleCommand<PersonState, PersonEvent>(this.parts.eventStore, withSealedFingerprint(context, key), {
      stream: personAggregate.streamOf(organisationId, personId),
      initial: initialPerson,
      evolve: evolvePerson,
      sealed: { seal: (event) => sealPersonEvent(event, key), open: (event) => openPersonEvent(event, key) },
      onConflict: expectation === null ? 'decide_again' : 'refuse',
      projection: { today: () => context.today, personKey: () => key },
      decide: async (state, revision) => {
        if (expectation !== null) await expectation(state, revision ?? -1);
        const refused = rejection?.(state) ?? null;
        if (refused !== null) return { rejection: refused };
        const decision = decidePerson(command, state);
        if ('rejection' in decision) return decision;
        const email = emailGainedBy(decision.events);
        if (email !== null)
          unit.claim((connection) => claimEmailAddress(connection, { organisationId, personId }, email));
        return decision;
      },
    });
  }
}

/**
 * The id of the person that a command with this context creates: the same for every attempt, and for a dry
 * run.
 */
export function newPersonId(
  mint: IdMint,
  { organisationId, seed }: Pick<CommandContext, 'organisationId' | 'seed'>,
): string {
  return mint.newPerson(organisationId, seed);
}

/** The rows of an employment do not depend on a key. */
function knownContext({ today }: CommandContext): ProjectionContext {
  return { today: () => today, personKey: () => null };
}

function emailGainedBy(events: readonly PersonEvent[]): string | null {
  const gaining = events.find(({ type }) => type !== 'PersonErased');
  return gaining === undefined || gaining.type === 'PersonErased' ? null : (gaining.data.identity.work_email ?? null);
}
