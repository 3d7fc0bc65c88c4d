import type { CommandContext } from '#commands/command-context.js';
import { RejectedError, type Rejection } from '#kernel/rejection.js';
import { type HeldReferences, whileReferring } from '#commands/locks/references.js';
import type { WritingServices } from '#commands/execute.js';
import { gainedDepartments } from '../employment/gained-departments.js';
import type { Fact, Terms } from '../employment/timeline.js';
import { archivedReference, findReferences, missingReference, type Reference, type References, streamsOfTerms } from './references.js';

/** References that were looked up while they are held, so that none can be retired. */
export class LiveReferences extends Map<string, Reference> {
  constructor(
    found: References,
    readonly held: HeldReferences,
  ) {
    super(found);
  }
}

/**
 * Does work that gives a person these terms, while no resource that they name can be archived or erased: from before the look-up until the
 * tables show the references. Throws {@link RejectedError} for a resource that does not exist, and what the work throws.
 */
export function whileReferringToTerms<T>(
  services: WritingServices,
  context: CommandContext,
  terms: Terms,
  work: (references: LiveReferences, context: CommandContext) => Promise<T>,
): Promise<T> {
  const { organisationId } = context;
  return whileReferring(services, context, streamsOfTerms(organisationId, terms), async (held) =>
    work(await lookUp(services, organisationId, terms, held), held.context),
  );
}

async function lookUp(services: WritingServices, organisationId: string, terms: Terms, held: HeldReferences): Promise<LiveReferences> {
  const references = new LiveReferences(await findReferences(services.executor, organisationId, [terms]), held);
  const missing = missingReference(terms, references);
  if (missing !== null) throw new RejectedError(missing);
  return references;
}

/**
 * Refuses facts that put a person into an archived department without naming it; null otherwise. Throws `UnheldReferencesError` where such
 * a department is not held. References that are not held are not checked.
 */
export async function unnamedRejection(
  { executor }: WritingServices,
  { organisationId, today }: CommandContext,
  [before, after]: readonly [before: readonly Fact[], after: readonly Fact[]],
  references: References,
): Promise<Rejection | null> {
  const { held } = references;
  if (held === undefined) return null;
  const terms = gainedDepartments(before, after, today).map((department_id): Terms => ({ department_id }));
  held.require(terms.flatMap((one) => streamsOfTerms(organisationId, one)));
  const found = await findReferences(executor, organisationId, terms);
  return terms.map((one) => archivedReference(one, found)).find((rejection) => rejection !== null) ?? null;
}
