import { emailKey } from '#http/fields/email-address.js';
import { nameKey } from '#kernel/names.js';
import { listOrgUnits, type OrgUnitRow } from '#organisation/org-unit/org-unit.js';
import { findOrganisation, type OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Executor } from '#projections/projection.js';
import { NotFoundError, UsageError } from './command-error.js';
import type { Scope } from './declaration.js';

/** A person that the operator named. */
export interface NamedPerson {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly display_name: string;
}

/**
 * The resource that a look-up found. Throws {@link NotFoundError} if it found none; `list` is the command
 * that shows all.
 */
export function requireFound<Found>(found: Found | null | undefined, noun: string, name: string, list: string): Found {
  if (found !== null && found !== undefined) return found;
  throw new NotFoundError(`There is no ${noun} ${name}: workforce ${list} shows all.`);
}

/**
 * The organisation that the operator named by id or subdomain. Throws {@link NotFoundError} if there is none.
 */
export async function requireOrganisation(executor: Executor, idOrSubdomain: string): Promise<OrganisationRow> {
  const found = await findOrganisation(executor, idOrSubdomain);
  return requireFound(found, 'organisation', idOrSubdomain, 'organisations list');
}

/**
 * The person that the operator named by id, work e-mail or staff id; of any organisation if none is given.
 * Throws {@link NotFoundError}, or {@link UsageError} if several people match.
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

/** A kind of resource of which an organisation has so few that one is searched among all of them. */
export interface NamedKind<Row extends NamedRow> {
  readonly noun: readonly [one: string, many: string];
  /** The command that lists them, after `workforce`. */
  readonly list: string;
  readonly rows: (executor: Executor, organisationId: string) => Promise<readonly Row[]>;
  /** The names of one besides its id, ignoring case. */
  readonly namesOf: (row: Row) => readonly (string | null)[];
}

interface NamedRow {
  readonly id: string;
  readonly archived_at?: Date | null;
  readonly is_active?: boolean;
}

export const ORG_UNITS: NamedKind<OrgUnitRow> = {
  noun: ['org unit', 'org units'],
  list: 'org-units list',
  rows: listOrgUnits,
  namesOf: ({ code, name }) => [code, name],
};

/**
 * The resource that the operator named by its id or by another name; active ones come first. Throws
 * {@link NotFoundError}, or {@link UsageError} if several match.
 */
export async function requireNamed<Row extends NamedRow>(
  { noun: [one, many], list, rows, namesOf }: NamedKind<Row>,
  executor: Executor,
  organisationId: string,
  which: string,
): Promise<Row> {
  const matching = (await rows(executor, organisationId)).filter(
    (row) => row.id === which || namesOf(row).some((name) => name !== null && nameKey(name) === nameKey(which)),
  );
  const active = matching.filter(({ is_active: isActive = true, archived_at: at = null }) => isActive && at === null);
  const found = active.length > 0 ? active : matching;
  if (found.length > 1)
    throw new UsageError(`${found.length} ${many} match ${which}: take the id, which workforce ${list} shows.`);
  return requireFound(found[0], one, which, list);
}

/** Finds the resource of a kind that a parameter names. */
export function namedOf<Row extends NamedRow>(kind: NamedKind<Row>) {
  return ({ pool, organisation }: Scope, which: string): Promise<Row> =>
    requireNamed(kind, pool, organisation!.id, which);
}

/** Finds the id of the resource of a kind that a parameter names. */
export function idOf<Row extends NamedRow>(kind: NamedKind<Row>) {
  return async (scope: Scope, which: string): Promise<string> => (await namedOf(kind)(scope, which)).id;
}

/** The same for a parameter that may be empty; null if it is. */
export function idOrNone(find: (scope: Scope, which: string) => Promise<string>) {
  return (scope: Scope, which: string): Promise<string | null> =>
    which.trim() === '' ? Promise.resolve(null) : find(scope, which);
}
