import type { WritingServices } from '#commands/services.js';
import { lockReferences } from '#commands/locks/references.js';
import type { UnitContext } from '#commands/unit-of-work.js';
import { RejectedError, type Rejection } from '#kernel/rejection.js';
import { gainedDepartments } from '../employment/gained-departments.js';
import type { Fact, Terms } from '../employment/timeline.js';
import { archivedReference, findReferences, missingReference, type References, streamsOfTerms } from './references.js';

/**
 * Looks up the references of these terms, and prevents their archiving and erasure until the unit of work
 * ends. Throws {@link RejectedError} for a resource that does not exist.
 */
export async function lockTerms(services: WritingServices, context: UnitContext, terms: Terms): Promise<References> {
  const { organisationId } = context;
  await lockReferences(services, context, streamsOfTerms(organisationId, terms));
  const references = await findReferences(services.executor, organisationId, [terms]);
  const missing = missingReference(terms, references);
  if (missing !== null) throw new RejectedError(missing);
  return references;
}

/**
 * Refuses facts that put a person into an archived department without naming it; null otherwise. Locks such
 * departments as well.
 */
export async function unnamedRejection(
  services: WritingServices,
  context: UnitContext,
  [before, after]: readonly [before: readonly Fact[], after: readonly Fact[]],
): Promise<Rejection | null> {
  const { organisationId, today } = context;
  const terms = gainedDepartments(before, after, today).map((department_id): Terms => ({ department_id }));
  if (terms.length === 0) return null;
  await lockReferences(
    services,
    context,
    terms.flatMap((one) => streamsOfTerms(organisationId, one)),
  );
  const found = await findReferences(services.executor, organisationId, terms);
  return terms.map((one) => archivedReference(one, found)).find((rejection) => rejection !== null) ?? null;
}
