import { emailKey } from '#http/fields/email-address.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';

/** A person of the organisation, in the form of references in files. */
export interface FoundPerson {
  readonly personId: string;
  readonly workEmail: string;
  /** In the form in which addresses are compared. */
  readonly emailKey: string;
  readonly staffId: string | null;
}

/** The number of look-ups per statement, so that a large file delays no other request. */
const AT_ONCE = 1_000;

/** Splits texts into the batches of look-ups. */
function* partsOf(texts: Iterable<string>): Generator<readonly string[]> {
  const all = [...new Set(texts)];
  for (let start = 0; start < all.length; start += AT_ONCE) yield all.slice(start, start + AT_ONCE);
}

/** Looks people up by e-mail address (`emailKey`), staff_id or id. */
export async function findPeople(
  executor: Executor,
  organisationId: string,
  requested: {
    readonly emailKeys: readonly string[];
    readonly staffIds: readonly string[];
    readonly ids: readonly string[];
  },
): Promise<PeopleFound> {
  const people = new Map<string, FoundPerson>();
  const columns = { email_key: requested.emailKeys, staff_id: requested.staffIds, person_id: requested.ids };
  for (const [column, texts] of Object.entries(columns)) {
    for (const part of partsOf(texts)) {
      const { rows } = await executor.query<{ person_id: string; work_email: string; staff_id: string | null }>({
        name: `import-find-people-by-${column}`,
        text: `select person_id, work_email, staff_id from people
          where organisation_id = $1 and ${column} = any($2::text[]) and identity_revision is not null`,
        values: [organisationId, part],
      });
      for (const { person_id: personId, work_email: workEmail, staff_id: staffId } of rows)
        people.set(personId, { personId, workEmail, emailKey: emailKey(workEmail), staffId });
    }
  }
  return new PeopleFound([...people.values()]);
}

/** The addresses of people with one of these names, by the name as given; ignoring case and accents. */
export async function findNamesakes(
  executor: Executor,
  organisationId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const namesakes = new Map<string, string>();
  for (const part of partsOf(names)) {
    const { rows } = await executor.query<{ name: string; work_email: string }>({
      name: 'import-find-namesakes',
      text: `select w.name, p.work_email from unnest($2::text[]) as w(name)
             join people p on p.organisation_id = $1 and p.name_key = left(search_key(w.name), 100)
               and p.identity_revision is not null`,
      values: [organisationId, part],
    });
    for (const row of rows) namesakes.set(row.name, row.work_email);
  }
  return namesakes;
}

/** How a row names a person: by address, by staff_id, or by both. */
export interface NamedPerson {
  readonly staffId: string | undefined;
  readonly workEmail: string | undefined;
}

/** Found people, by every reference that a file may use. */
export class PeopleFound {
  private readonly byEmail = new Map<string, FoundPerson>();
  private readonly byStaffId = new Map<string, FoundPerson[]>();
  private readonly byId = new Map<string, FoundPerson>();

  constructor(people: readonly FoundPerson[]) {
    for (const person of people) {
      this.byEmail.set(person.emailKey, person);
      this.byId.set(person.personId, person);
      if (person.staffId !== null)
        this.byStaffId.set(person.staffId, [...(this.byStaffId.get(person.staffId) ?? []), person]);
    }
  }

  withEmail(email: string): FoundPerson | null {
    return this.byEmail.get(emailKey(email)) ?? null;
  }

  withStaffId(staffId: string): readonly FoundPerson[] {
    return this.byStaffId.get(staffId) ?? [];
  }

  /** A key that all rows about one person share, whether they name the address or the staff_id. */
  keyOf({ staffId, workEmail }: NamedPerson): string {
    const person = workEmail === undefined ? this.withStaffId(staffId ?? '')[0] : this.withEmail(workEmail);
    return person?.personId ?? '';
  }

  withId(personId: string): FoundPerson | null {
    return this.byId.get(personId) ?? null;
  }

  /**
   * All people to whom a staff_id, an e-mail address or an id may refer: an address contains an `@`, and a
   * staff_id takes precedence over an id.
   */
  meantBy(reference: string): readonly FoundPerson[] {
    if (reference.includes('@')) return [this.withEmail(reference)].filter((person) => person !== null);
    const byStaffId = this.withStaffId(reference);
    return byStaffId.length > 0 ? byStaffId : [this.withId(reference)].filter((person) => person !== null);
  }
}

/** The issue of a reference that matches no person, or more than one. */
export function issueOfReference(reference: string, count: number): string {
  return count === 0
    ? `there is no such person: ${reference}`
    : `several people have the staff_id ${reference}: use an e-mail address or an id`;
}

/**
 * The id of the person whom a row names by e-mail address, by staff_id, or by both. Throws `RejectedError` if
 * there is no such person or more than one, and if address and staff_id belong to two people.
 */
export function personNamedBy({ staffId, workEmail }: NamedPerson, people: PeopleFound): string {
  if (workEmail !== undefined) {
    const person = people.withEmail(workEmail);
    if (person === null) throw new RejectedError(invalid('work_email', issueOfReference(workEmail, 0)));
    if (staffId !== undefined && person.staffId !== staffId)
      throw new RejectedError(invalid('staff_id', `is not the staff_id of ${workEmail}`));
    return person.personId;
  }
  const named = people.withStaffId(staffId!);
  if (named.length !== 1) throw new RejectedError(invalid('staff_id', issueOfReference(staffId!, named.length)));
  return named[0]!.personId;
}
