import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { ERASED, ERASED_ISSUE } from '#kernel/erasure.js';
import { conflict, notFound, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';

/**
 * The key that encrypts a person's personal data. Throws {@link RejectedError}: the organisation has no such
 * person, or their personal data was erased.
 */
export async function requirePersonKey(executor: Executor, organisationId: string, personId: string): Promise<Buffer> {
  const { rows } = await executor.query<{ key: Buffer | null }>({
    name: 'require-person-key',
    text: `select k.key from people p left join person_keys k on k.organisation_id = p.organisation_id
      and k.person_id = p.person_id
            where p.organisation_id = $1 and p.person_id = $2 and p.identity_revision is not null`,
    values: [organisationId, personId],
  });
  const row = rows[0];
  if (row === undefined) throw new RejectedError(notFound('person_id', 'there is no such person'));
  if (row.key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
  return openPersonKey(executor, { organisationId, personId }, row.key);
}

/**
 * Refuses writes about an erased person, recognised by the address in their row. Throws
 * {@link RejectedError}.
 */
export function refuseErased(row: { readonly work_email: string }): void {
  if (row.work_email === ERASED) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
}

/** The same for a caller that has not read the row. Throws {@link RejectedError}. */
export async function requireNotErased(executor: Executor, organisationId: string, personId: string): Promise<void> {
  const { rows } = await executor.query<{ work_email: string | null }>({
    name: 'work-email-of-person',
    text: 'select work_email from people where organisation_id = $1 and person_id = $2',
    values: [organisationId, personId],
  });
  refuseErased({ work_email: rows[0]?.work_email ?? '' });
}

/** The key of a person's personal data; null if there is none, or it was destroyed. */
export async function personKeyOf(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<Buffer | null> {
  const { rows } = await executor.query<{ key: Buffer | null }>(
    'select key from person_keys where organisation_id = $1 and person_id = $2',
    [organisationId, personId],
  );
  return openPersonKey(executor, { organisationId, personId }, rows[0]?.key ?? null);
}
