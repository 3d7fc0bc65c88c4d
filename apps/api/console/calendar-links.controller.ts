import { Controller, Delete, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { CreateCalendarLink, RevokeCalendarLink } from '#access/user/administer-calendar-links.js';
import {
  CALENDAR_LANGUAGES,
  type CalendarLanguage,
  findCalendarLink,
  hasLinksTo,
  listCalendarLinks,
  type ListedCalendarLink,
} from '#access/user/calendar-links.js';
import type { CalendarLinkSubject } from '#access/user/user.js';
import { DATABASE_POOL, PUBLIC_URL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { HttpError, invalidField } from '#http/errors.js';
import { BooleanField, EnumField, IdField } from '#http/fields.js';
import { Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { findNames } from '#people/record/read-people.js';
import { CALENDARS_PATH } from '../calendars/calendar.controller.js';
import { listedUser, revocable } from './revocable-access.js';

class CalendarLinkRequest {
  @IdField('person', { optional: true })
  readonly person_id?: string;
  @IdField('orgUnit', { optional: true })
  readonly org_unit_id?: string;
  /** The people in sight of the user, a manager, each time that the link is read. */
  @BooleanField({ optional: true })
  readonly team?: boolean;
  @EnumField(CALENDAR_LANGUAGES)
  readonly language!: CalendarLanguage;
}

class CalendarLinkParameters {
  @IdField('calendarLink')
  readonly linkId!: string;
}

const SESSIONS = { callers: 'sessions', scopes: ['time_off:read', 'people:read'], people: { of: 'sight' } } as const;

/**
 * The links of a user to calendars of time off (docs/how-to/subscribe-to-time-off.md). Administrators see and
 * revoke those of all users.
 */
@Controller('console/calendars')
export class CalendarLinksController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(PUBLIC_URL) private readonly publicUrl: string | null,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Endpoint({ ...SESSIONS, name: 'listCalendarLinks' })
  async list(@Receive() { key, sight: { reader } }: Call): Promise<object> {
    const organisationId = key.organisation.id;
    const links = await listCalendarLinks(this.pool, organisationId, listedUser(key));
    const people = links.flatMap(({ person_id: personId }) => (personId === null ? [] : [personId]));
    const names = await findNames(reader, organisationId, people);
    return { data: links.map((link) => presentLink(link, names)) };
  }

  @Post()
  @Endpoint({ ...SESSIONS, name: 'createCalendarLink', writes: true, body: CalendarLinkRequest })
  async create(@Receive() call: Call<CalendarLinkRequest>): Promise<object> {
    const { body, key, address } = call;
    const subject = subjectOf(body);
    if (!hasLinksTo(subject, key.session!.role))
      throw new HttpError('permission_denied', { message: `The role ${key.session!.role} has no such calendars.` });
    return send(
      this.commands,
      call,
      (context) => new CreateCalendarLink(context, subject, body.language),
      ({ id, token }) => ({ data: { id, url: `${this.publicUrl ?? address()}/${CALENDARS_PATH}/${token}.ics` } }),
    );
  }

  @Delete(':linkId')
  @HttpCode(204)
  @Endpoint({ ...SESSIONS, name: 'revokeCalendarLink', writes: 'under_any_plan', parameters: CalendarLinkParameters })
  async revoke(@Receive() call: Call<undefined, unknown, CalendarLinkParameters>): Promise<object> {
    const { key, parameters } = call;
    const { id } = revocable(await findCalendarLink(this.pool, key.organisation.id, parameters.linkId), key);
    return send(this.commands, call, (context) => new RevokeCalendarLink(context, id));
  }
}

/** The name of the subject is null if the reader does not see the person. */
function presentLink(link: ListedCalendarLink, names: ReadonlyMap<string, string>): object {
  const { id, user_id, email, person_id, org_unit_id, unit_name, created_at, last_read_at } = link;
  const subject =
    person_id !== null
      ? { resource_type: 'person', id: person_id, name: names.get(person_id) ?? null }
      : { resource_type: org_unit_id === null ? 'team' : 'org_unit', id: org_unit_id, name: unit_name };
  return {
    id,
    user: { id: user_id, email },
    subject,
    created_at: created_at.toISOString(),
    last_read_at: last_read_at?.toISOString() ?? null,
  };
}

/** Throws `HttpError` (400) unless the body names one person, one unit or the team. */
function subjectOf({ person_id, org_unit_id, team = false }: CalendarLinkRequest): CalendarLinkSubject {
  if ([person_id !== undefined, org_unit_id !== undefined, team].filter(Boolean).length !== 1)
    throw invalidField('person_id', 'or org_unit_id or team must be given, and only one of them');
  return { person_id: person_id ?? null, org_unit_id: org_unit_id ?? null };
}
