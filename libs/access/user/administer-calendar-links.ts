import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { CLOCK } from '#commands/injection-tokens.js';
import { lockReferences } from '#commands/locks/references.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { Clock } from '#kernel/clock.js';
import { conflict, found, RejectedError } from '#kernel/rejection.js';
import { findOrgUnit } from '#organisation/org-unit/org-unit.js';
import { personAggregate } from '#people/person/person.js';
import { refuseErased } from '#people/person/person-keys.js';
import { findPerson } from '#people/record/read-people.js';
import { holdAccess } from '../grants.js';
import type { CalendarLinkSubject } from './user.js';
import { stageUser } from './stage-user.js';
import {
  type CalendarLanguage,
  type CalendarLink,
  deleteCalendarLinks,
  findCalendarLink,
  insertCalendarLink,
  listCalendarLinks,
  listLinksToPerson,
} from './calendar-links.js';

/** The maximum number of links of a user. */
export const MAX_CALENDAR_LINKS = 20;

/** A new link, with its token. */
export interface NewCalendarLink {
  readonly id: string;
  readonly token: string;
}

/**
 * Creates a link for the acting user. The caller has checked that the user may see the subject. Throws
 * {@link RejectedError}: an unknown person or unit, an erased person, or a user with too many links.
 */
export class CreateCalendarLink extends Command<NewCalendarLink> {
  constructor(
    readonly context: CommandContext,
    readonly subject: CalendarLinkSubject,
    readonly language: CalendarLanguage,
  ) {
    super();
  }
}

/** Revokes a link. Throws {@link RejectedError} if there is none with this id. */
export class RevokeCalendarLink extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly linkId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateCalendarLink)
class CreateCalendarLinkHandler implements ICommandHandler<CreateCalendarLink> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, subject, language }: CreateCalendarLink): Promise<NewCalendarLink> {
    const { organisationId, actor, seed } = context;
    const place = { organisationId, userId: actor.id };
    const id = this.services.mint.prefixed('calendarLink', organisationId, ...seed);
    const now = this.clock.now();
    return commit(this.services, context, async (within) => {
      await holdAccess(within);
      const links = await listCalendarLinks(this.services.executor, organisationId, actor.id);
      if (links.length >= MAX_CALENDAR_LINKS)
        throw new RejectedError(conflict('user', `has ${links.length} calendar links: revoke one first`));
      await requireSubject(this.services, within, subject);
      await stageUser(this.services, within, actor.id, { type: 'create_calendar_link', linkId: id, subject });
      let token: string | null = null;
      within.unit.write(async (connection) => {
        token = await insertCalendarLink(connection, place, { id, language, ...subject }, now);
      });
      return () => ({ id, token: token! });
    });
  }
}

/** Keeps a person from being erased until the unit of work ends. Throws {@link RejectedError}. */
async function requireSubject(
  services: CommandServices,
  within: UnitContext,
  { person_id: personId, org_unit_id: orgUnitId }: CalendarLinkSubject,
): Promise<void> {
  const { organisationId } = within;
  if (personId !== null) {
    await lockReferences(services, within, [personAggregate.streamOf(organisationId, personId)]);
    refuseErased(found(await findPerson(services.executor, organisationId, personId)));
  }
  if (orgUnitId !== null) found(await findOrgUnit(services.executor, organisationId, orgUnitId));
}

@CommandHandler(RevokeCalendarLink)
class RevokeCalendarLinkHandler implements ICommandHandler<RevokeCalendarLink> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, linkId }: RevokeCalendarLink): Promise<void> {
    return commit(this.services, context, async (within) => {
      await holdAccess(within);
      const link = found(await findCalendarLink(this.services.executor, context.organisationId, linkId));
      await stageRevocation(this.services, within, [link]);
      return () => undefined;
    });
  }
}

/** A policy: links of any user to the calendar of an erased person are revoked. Safe to repeat. */
export function revokeLinksToErasedPerson(
  services: CommandServices,
  context: CommandContext,
  personId: string,
): Promise<void> {
  return commit(services, context, async (within) => {
    await holdAccess(within);
    const links = await listLinksToPerson(services.executor, context.organisationId, personId);
    await stageRevocation(services, within, links);
    return () => undefined;
  });
}

async function stageRevocation(
  services: CommandServices,
  within: UnitContext,
  links: readonly CalendarLink[],
): Promise<void> {
  const idsOf = (userId: string): string[] => links.filter((link) => link.user_id === userId).map(({ id }) => id);
  for (const userId of new Set(links.map((link) => link.user_id)))
    await stageUser(services, within, userId, { type: 'revoke_calendar_links', linkIds: idsOf(userId) });
  const ids = links.map(({ id }) => id);
  within.unit.write((connection) => deleteCalendarLinks(connection, within.organisationId, ids));
}

/** The handlers of this file, for the resource. */
export const CALENDAR_LINK_HANDLERS = [CreateCalendarLinkHandler, RevokeCalendarLinkHandler];
