import { emailKey } from '#http/fields/email-address.js';
import { nameKey } from '#kernel/names.js';
import { listOrgUnits, type OrgUnitRow } from '#organisation/org-unit/org-unit.js';
import { findOrganisation, type OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Executor } from '#projections/projection.js';
import { NotFoundError, UsageError } from './command-error.js';

/** A person that the operator named. */
export interface NamedPerson {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly display_name: string;
}

/**
 * The organisation that the operator named by id or subdomain. Throws {@link NotFoundError} where there is
 * none.
 */
export async function requireOrganisation(executor: Executor, idOrSubdomain: string): Promise<OrganisationRow> {
  const organisation = await findOrganisation(executor, idOrSubdomain);
  if (organisation !== null) return organisation;
  throw new NotFoundError(`There is no organisation ${idOrSubdomain}: workforce organisations list shows all.`);
}

/**
 * The person that the operator named by id, work e-mail or staff id; of any organisation where none is given.
 * Throws {@link NotFoundError}, or {@link UsageError} where several people match.
 */
export async function requirePerson(
  executor: Executor,
  who: string,
  organisationId: string | null,
): Promise<NamedPerson> {
  const { rows } = await executor.query<NamedPerson>(
    `select organisation_id, person_id, display_name from people
      where identity_revision is not null and ($2::text is null or organisation_id = $2)
        and (person_id = $1 or email_key = $3 or staff_id = $1)`,
    [who, organisationId, emailKey(who)],
  );
  if (rows.length === 1) return rows[0]!;
  if (rows.length === 0) throw new NotFoundError(`There is no person ${who}.`);
  throw new UsageError(
    `${rows.length} people match ${who}: name the organisation with --organisation, or the person by id.`,
  );
}

/**
 * The unit that the operator named by id, code or name; active ones come first. Throws {@link NotFoundError},
 * or {@link UsageError} where several units match.
 */
export async function requireUnit(executor: Executor, organisationId: string, which: string): Promise<OrgUnitRow> {
  const units = await listOrgUnits(executor, organisationId);
  const isNamed = ({ id, code, name }: OrgUnitRow): boolean =>
    id === which || code === which || nameKey(name) === nameKey(which);
  const found = units
    .filter(isNamed)
    .sort((one, other) => Number(one.archived_at !== null) - Number(other.archived_at !== null));
  const [first, second] = found;
  if (first === undefined)
    throw new NotFoundError(`There is no org unit ${which}: workforce org-units list shows all.`);
  if (second !== undefined && (second.archived_at === null) === (first.archived_at === null))
    throw new UsageError(
      `${found.length} org units match ${which}: take the id, which workforce org-units list shows.`,
    );
  return first;
}
