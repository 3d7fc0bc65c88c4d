import { hash } from 'node:crypto';
import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { findReadableLink, hasLinksTo, noteReading, type ReadableLink } from '#access/user/calendar-links.js';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { Endpoint } from '#http/endpoint.js';
import { HttpError } from '#http/errors.js';
import { isKnown, parseIfNoneMatch } from '#http/pipeline/request-headers.js';
import { isToken } from '#http/sessions/session-cookie.js';
import type { Reader } from '#http/sight.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { ERASED } from '#kernel/erasure.js';
import { findOrgUnit } from '#organisation/org-unit/org-unit.js';
import { findPerson } from '#people/record/read-people.js';
import { PeopleInSight } from '#people/sight/people-in-sight.js';
import { type AbsentPeople, readAbsences } from '#time-off/records/read-absences.js';
import { type CalendarOwner, calendarText } from './calendar-text.js';

/** The path below which calendars are served. */
export const CALENDARS_PATH = 'calendars';

const FILE = /^(.+)\.ics$/;

/**
 * Calendars of approved time off for calendar programs, which send nothing but the address
 * (docs/how-to/subscribe-to-time-off.md). Each read shows what the user who made the link may see at that
 * moment. A link that shows nothing any more is 404 like one that never was.
 */
@Controller(CALENDARS_PATH)
export class CalendarController {
  private readonly sights: PeopleInSight;

  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.sights = new PeopleInSight(pool, clock);
  }

  @Get(':file')
  @Endpoint({ name: 'readCalendar', callers: 'public' })
  async read(
    @Param('file') file: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const known = parseIfNoneMatch(request.headers['if-none-match']);
    const token = FILE.exec(file)?.[1] ?? '';
    const link = isToken(token) ? await findReadableLink(this.pool, token) : null;
    const text = link === null ? null : await this.textOf(link);
    if (link === null || text === null) throw new HttpError('not_found');
    await noteReading(this.pool, link, this.clock.now());
    const tag = hash('sha256', text, 'base64url');
    reply
      .header('cache-control', 'private, no-cache')
      .header('content-disposition', 'inline; filename="time-off.ics"')
      .header('etag', `W/"${tag}"`)
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff')
      .header('x-robots-tag', 'noindex');
    if (isKnown(tag, known)) {
      reply.code(304);
      return undefined;
    }
    reply.type('text/calendar; charset=utf-8');
    return text;
  }

  /** The calendar; null if the user may not see it. */
  private async textOf(link: ReadableLink): Promise<string | null> {
    const { organisation, subject, role } = link;
    if (!hasLinksTo(subject, role)) return null;
    const { reader } = this.sights.of(link, { of: 'sight' }, {});
    const shown = await this.shownBy(link, reader);
    if (shown === null) return null;
    const today = dateIn(organisation.timeZone, this.clock.now());
    const absences = await readAbsences(reader, organisation.id, shown.people, today);
    return calendarText(absences, shown.owner, link.language);
  }

  /** Whose time off the calendar shows; null if the user does not see them. */
  private async shownBy(
    { organisation: { id }, personId: ownId, subject }: ReadableLink,
    reader: Reader,
  ): Promise<{ readonly people: AbsentPeople; readonly owner: CalendarOwner } | null> {
    const { person_id: personId, org_unit_id: orgUnitId } = subject;
    // The reader of a manager finds no other people than those in sight.
    if (personId === null && orgUnitId === null) return { people: 'all', owner: 'team' };
    if (orgUnitId !== null) {
      const unit = await findOrgUnit(reader, id, orgUnitId);
      return unit === null ? null : { people: { orgUnitId: unit.id }, owner: { name: unit.name } };
    }
    const person = await findPerson(reader, id, personId!);
    if (person === null || person.work_email === ERASED) return null;
    const owner = personId === ownId ? 'oneself' : { name: person.display_name };
    return { people: { personId: personId! }, owner };
  }
}
