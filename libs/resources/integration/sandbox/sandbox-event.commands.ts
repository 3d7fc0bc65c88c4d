import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import { nameBasedUuid } from '#identifiers/uuid.js';
import { conflict, notFound, RejectedError } from '#kernel/rejection.js';
import { publicEventsOf } from '../../public-events.js';
import { type GrantedScopes, subscriptionRejection } from '../webhook/subscription-scopes.js';
import { familyOf, type PublicEvent } from '#webhooks/deliver/envelope.js';
import { decideSandboxEvent, sandboxEventAggregate } from './sandbox-event.decider.js';

/** The event that a caller wants to publish. */
export interface WantedEvent {
  readonly eventType: WebhookEventType;
  /** Undefined means the first resource of the kind. */
  readonly resourceId: string | undefined;
}

/**
 * Records an event to publish to the endpoints of the context's sandbox tenant that subscribe to its type; it is delivered like any other
 * event. Throws {@link RejectedError}: the key lacks the scope of the type, no such resource.
 */
export async function triggerEvent(
  services: CommandServices,
  context: CommandContext,
  wanted: WantedEvent,
  granted: GrantedScopes,
): Promise<PublicEvent> {
  const { organisationId, seed } = context;
  const { eventType } = wanted;
  const rejection = subscriptionRejection(granted, [eventType]);
  if (rejection !== null)
    throw new RejectedError({ ...rejection, details: rejection.details.map(({ issue }) => ({ field: 'event_type', issue })) });
  return commit(services, context, async (within) => {
    const resourceId = await resourceOf(services, organisationId, wanted);
    const result = await execute(services, within, sandboxEventAggregate, nameBasedUuid(...seed), {
      decide: (state) => decideSandboxEvent({ eventType, resourceId }, state),
    });
    return () => {
      const [published] = publicEventsOf(services.mint, [sandboxEventAggregate], result.events);
      if (published === undefined) throw new Error(`a triggered ${eventType} is not published`);
      return published;
    };
  });
}

/** By family: SQL for the first id, or for the requested one if it exists. `$1` is the tenant, `$2` the requested id or null. */
const RESOURCES: Readonly<Record<string, string>> = {
  person: from('people', 'person_id', 'identity_revision is not null', 'staff_id nulls last'),
  time_off: from('time_off', 'id', 'true'),
  time_off_category: from('time_off_categories', 'id', 'true'),
  org_unit: from('org_units', 'id', 'true'),
  working_pattern: from('working_patterns', 'id', 'true'),
  webhook: from('webhooks', 'id', `status <> 'deleted'`),
};

function from(table: string, id: string, condition: string, order = id): string {
  return `select ${id} as id from ${table} where organisation_id = $1 and ${condition} and ($2::text is null or ${id} = $2) order by ${order}, ${id} limit 1`;
}

async function resourceOf(
  { executor, mint }: CommandServices,
  organisationId: string,
  { eventType, resourceId }: WantedEvent,
): Promise<string> {
  const family = familyOf(eventType);
  const text = RESOURCES[family];
  // An organisation has one set of time-off settings, which uses the organisation's id.
  const known = text === undefined ? mint.shownOrganisation(organisationId) : await firstOf(text, [organisationId, resourceId ?? null]);
  if (known !== null && (resourceId === undefined || known === resourceId)) return known;
  if (resourceId !== undefined) throw new RejectedError(notFound('resource_id', `there is no such ${family} in the sandbox`));
  throw new RejectedError(conflict('resource_id', `there is no ${family} in the sandbox yet`));

  async function firstOf(query: string, values: readonly unknown[]): Promise<string | null> {
    const { rows } = await executor.query<{ id: string }>({ name: `sandbox-event-${family}`, text: query, values: [...values] });
    return rows[0]?.id ?? null;
  }
}
