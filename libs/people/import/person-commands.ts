import { WrongExpectedRevisionError } from '#event-store/event-store.js';
import type { CommandContext } from '#commands/command-context.js';
import { commit } from '#commands/unit-of-work.js';
import { emailKey } from '#http/fields/email-address.js';
import { type NewPerson, newPersonId, PeopleWriter } from '../record/people-writer.js';
import type { Identity } from '../person/person.js';
import type { ImportSettings } from './import-settings.js';
import type { PlannedFact } from './plan-employment.js';

/** Another command changed the person after the import had read them: the commands must be planned again. */
export class PersonChangedError extends Error {
  constructor() {
    super('another command changed the person in the meantime');
    this.name = 'PersonChangedError';
  }
}

/** The id of the person whom rows with this address (`emailKey`) create. */
export function idOfImported({ services, context }: ImportSettings, key: string): string {
  return newPersonId(services.mint, { ...context, seed: seedOf(key) });
}

function seedOf(key: string): readonly string[] {
  return ['import', key];
}

/**
 * The commands with which imports write people: those of the API. Ids derive from the organisation and the
 * content of the row, so a repeated row is the same command. Each throws `RejectedError`, and {@link
 * PersonChangedError} if the person is at another revision than the caller planned for.
 */
export class PersonCommands {
  private readonly writer: PeopleWriter;

  constructor(private readonly settings: ImportSettings) {
    const { store: eventStore, projector, mint } = settings.services;
    this.writer = new PeopleWriter({ pool: settings.pool, eventStore, projector, mint });
  }

  /**
   * Returns whether this call recorded the employment; false if an interrupted import or a concurrent write
   * already had.
   */
  create(person: NewPerson): Promise<boolean> {
    const context = this.context(seedOf(emailKey(person.identity.work_email)));
    return commit(this.writer.services, context, async (within) => {
      const references = await this.writer.referencesOf(within, person.terms);
      const { employment } = await this.writer.stageCreate(within, person, references);
      return () => employment.outcome === 'appended';
    });
  }

  async recordFact(personId: string, { request, seed }: PlannedFact, revision: number): Promise<void> {
    const terms = 'terms' in request ? request.terms : {};
    await orStaleDecision(
      commit(this.writer.services, this.context(seed), async (within) => {
        const references = await this.writer.referencesOf(within, terms);
        await this.writer.stageFact(within, personId, request, references, expecting(revision));
        return () => undefined;
      }),
    );
  }

  async changeIdentity(personId: string, key: Buffer, identity: Identity, revision: number): Promise<void> {
    const context = this.context(['import', personId, 'identity', String(revision)]);
    await orStaleDecision(this.writer.changeIdentity(context, personId, key, identity, expecting(revision)));
  }

  private context(seed: readonly string[]): CommandContext {
    return { ...this.settings.context, seed, today: this.settings.today() };
  }
}

function expecting(revision: number): (state: unknown, actual: number) => void {
  return (_state, actual) => {
    if (actual !== revision) throw new PersonChangedError();
  };
}

async function orStaleDecision(command: Promise<unknown>): Promise<void> {
  try {
    await command;
  } catch (error) {
    throw error instanceof WrongExpectedRevisionError ? new PersonChangedError() : error;
  }
}
