import type { Migration } from '#database/migrations.js';
import { prepared, sql } from '#database/sql.js';
import type { Onlooker } from '#http/sight.js';
import { isByRelation, isRole, type Role, SCOPES_OF_ROLE } from '#kernel/roles.js';
import type { Scope } from '#kernel/scopes.js';
import type { Executor } from '#projections/projection.js';
import { hashToken, newToken, type UserPlace } from '../authentication/sessions.js';
import type { CalendarLinkSubject } from './user.js';

/** The languages of the texts in a calendar. */
export const CALENDAR_LANGUAGES = ['en', 'de', 'fr', 'es'] as const;
export type CalendarLanguage = (typeof CALENDAR_LANGUAGES)[number];

/**
 * Links to calendars of approved time off, by the SHA-256 of their tokens. Like links to sign in, they are
 * rows and not events; an event records their creation and their revocation. `last_read_at` is kept to the
 * hour.
 */
export const CALENDAR_LINKS_MIGRATION: Migration = {
  version: 35,
  name: 'links to calendars of time off',
  sql: `
create table calendar_links (
  token_hash bytea primary key,
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  person_id text collate "C",
  org_unit_id text collate "C",
  language text not null,
  created_at timestamptz(3) not null,
  last_read_at timestamptz(3),
  unique (organisation_id, id),
  check (num_nonnulls(person_id, org_unit_id) = 1)
);
create index calendar_links_of_users on calendar_links (organisation_id, user_id);
create index calendar_links_of_people on calendar_links (organisation_id, person_id) where person_id is not null;
`,
};

/** A link without its token. */
export interface CalendarLink extends CalendarLinkSubject {
  readonly id: string;
  readonly user_id: string;
  readonly created_at: Date;
  /** The hour in which a calendar program last read it; null if none has. */
  readonly last_read_at: Date | null;
}

/** A link for one request of a calendar program, with the user who made it as they are now. */
export interface ReadableLink extends Onlooker {
  readonly id: string;
  readonly subject: CalendarLinkSubject;
  readonly language: CalendarLanguage;
  readonly lastReadAt: Date | null;
  readonly role: Role;
  /** The person with whom the user is linked; null if there is none. */
  readonly personId: string | null;
}

/** Managers have links to their team in place of links to org units: both ids of such a link are null. */
export const TEAM_LINKS_MIGRATION: Migration = {
  version: 37,
  name: 'links to calendars of teams',
  sql: `
alter table calendar_links drop constraint calendar_links_check;
alter table calendar_links add constraint calendar_links_check check (num_nonnulls(person_id, org_unit_id) <= 1);
`,
};

/**
 * Whether a role has links to the subject, which its user also needs each time that one is read: to units
 * where it sees the people of all units, to a team where it sees people who report to the user.
 */
export function hasLinksTo({ person_id: personId, org_unit_id: orgUnitId }: CalendarLinkSubject, role: Role): boolean {
  const needed: readonly Scope[] = ['time_off:read', 'people:read', ...(orgUnitId === null ? [] : UNITS)];
  if (!needed.every((scope) => SCOPES_OF_ROLE[role].includes(scope))) return false;
  if (personId !== null) return true;
  return orgUnitId === null ? role === 'manager' : !isByRelation(role);
}

const UNITS: readonly Scope[] = ['org_units:read'];

/** Stores a new link of a user, and returns its token, which is shown once. */
export async function insertCalendarLink(
  executor: Executor,
  place: UserPlace,
  link: CalendarLinkSubject & { readonly id: string; readonly language: CalendarLanguage },
  now: Date,
): Promise<string> {
  const token = newToken();
  await executor.query(
    sql`insert into calendar_links
        (token_hash, organisation_id, id, user_id, person_id, org_unit_id, language, created_at)
      values (${hashToken(token)}, ${place.organisationId}, ${link.id}, ${place.userId}, ${link.person_id},
        ${link.org_unit_id}, ${link.language}, ${now})`,
  );
  return token;
}

interface ReadableRow extends CalendarLinkSubject {
  readonly id: string;
  readonly language: CalendarLanguage;
  readonly last_read_at: Date | null;
  readonly role: Role;
  readonly own_id: string | null;
  readonly organisation_id: string;
  readonly time_zone: string;
}

/** The link with this token; null if there is none, or its user may not sign in. */
export async function findReadableLink(executor: Executor, token: string): Promise<ReadableLink | null> {
  const { rows } = await executor.query<ReadableRow>(
    prepared(sql`select l.id, l.person_id, l.org_unit_id, l.language, l.last_read_at, u.role, u.person_id as own_id,
        o.id as organisation_id, o.time_zone
      from calendar_links l
      join users u on u.organisation_id = l.organisation_id and u.id = l.user_id and u.status = 'active'
      join organisations o on o.id = l.organisation_id
     where l.token_hash = ${hashToken(token)}`),
  );
  const row = rows[0];
  // A role of a newer release grants nothing here.
  if (row === undefined || !isRole(row.role)) return null;
  const { id, language, role, own_id: personId } = row;
  return {
    id,
    subject: { person_id: row.person_id, org_unit_id: row.org_unit_id },
    language,
    lastReadAt: row.last_read_at,
    role,
    personId,
    session: { role, personId },
    organisation: { id: row.organisation_id, timeZone: row.time_zone },
  };
}

const HOUR_MILLISECONDS = 3_600_000;

/** Records the hour in which a link is read, once an hour. */
export async function noteReading(
  executor: Executor,
  { id, lastReadAt, organisation }: ReadableLink,
  now: Date,
): Promise<void> {
  const hour = new Date(now.getTime() - (now.getTime() % HOUR_MILLISECONDS));
  if (lastReadAt !== null && lastReadAt >= hour) return;
  await executor.query(
    prepared(sql`update calendar_links set last_read_at = ${hour}
      where organisation_id = ${organisation.id} and id = ${id}`),
  );
}

const COLUMNS = 'l.id, l.user_id, l.person_id, l.org_unit_id, l.created_at, l.last_read_at';

/** A link in a list. */
export interface ListedCalendarLink extends CalendarLink {
  /** The address of the user. */
  readonly email: string;
  readonly unit_name: string | null;
}

/** The links of a user, or of all users of the organisation if it is null, newest first. */
export async function listCalendarLinks(
  executor: Executor,
  organisationId: string,
  userId: string | null,
): Promise<readonly ListedCalendarLink[]> {
  const { rows } = await executor.query<ListedCalendarLink>({
    name: 'list-calendar-links',
    text: `select ${COLUMNS}, u.email, o.name as unit_name from calendar_links l
             join users u on u.organisation_id = l.organisation_id and u.id = l.user_id
             left join org_units o on o.organisation_id = l.organisation_id and o.id = l.org_unit_id
            where l.organisation_id = $1 and ($2::text is null or l.user_id = $2) order by l.created_at desc, l.id`,
    values: [organisationId, userId],
  });
  return rows;
}

/** The link with this id; null if the organisation has none. */
export async function findCalendarLink(
  executor: Executor,
  organisationId: string,
  id: string,
): Promise<CalendarLink | null> {
  const { rows } = await executor.query<CalendarLink>({
    name: 'find-calendar-link',
    text: `select ${COLUMNS} from calendar_links l where l.organisation_id = $1 and l.id = $2`,
    values: [organisationId, id],
  });
  return rows[0] ?? null;
}

/** The links of all users to the calendar of a person. */
export async function listLinksToPerson(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<readonly CalendarLink[]> {
  const { rows } = await executor.query<CalendarLink>({
    text: `select ${COLUMNS} from calendar_links l where l.organisation_id = $1 and l.person_id = $2 order by l.id`,
    values: [organisationId, personId],
  });
  return rows;
}

/** Deletes links: their addresses no longer work. */
export async function deleteCalendarLinks(
  executor: Executor,
  organisationId: string,
  ids: readonly string[],
): Promise<void> {
  await executor.query('delete from calendar_links where organisation_id = $1 and id = any($2::text[])', [
    organisationId,
    ids,
  ]);
}

/** Deletes all links of a user. */
export async function deleteCalendarLinksOf(executor: Executor, { organisationId, userId }: UserPlace): Promise<void> {
  await executor.query('delete from calendar_links where organisation_id = $1 and user_id = $2', [
    organisationId,
    userId,
  ]);
}
