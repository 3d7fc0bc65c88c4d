import { Controller, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { DateTimeField, EnumField, identifier, IdField, OneOfField, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { nameBasedUuid } from '#identifiers/uuid.js';
import type { LocalDate } from '#kernel/dates.js';
import { conflict, notFound, RejectedError } from '#kernel/rejection.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { familyOf, type PublicEvent } from '#webhooks/deliver/envelope.js';
import { type GrantedScopes, subscriptionRejection } from '#webhooks/endpoint/subscription-scopes.js';
import { EVENT_TYPES } from '#webhooks/endpoint/webhook-shapes.js';
import { publicEventsOf } from '#webhooks/publish/public-events.js';
import { decideSandboxEvent, sandboxEventAggregate } from './sandbox-event.js';
import { openSandbox, prepareSandbox, sandboxAggregate, SANDBOXES_SCHEMA, sandboxProjection } from './sandbox.js';

/** The kinds of resources that an event can be about; for time-off settings, the organisation. */
const RESOURCE_IDS = (
  ['person', 'timeOff', 'timeOffCategory', 'orgUnit', 'workingPattern', 'webhook', 'organisation'] as const
).map(identifier);

class TriggerEventRequest {
  @EnumField(EVENT_TYPES, { description: 'The key needs the scope of its type.', example: 'person.updated' })
  readonly event_type!: string;
  @OneOfField(RESOURCE_IDS, {
    optional: true,
    description:
      'A resource of the sandbox of the kind that the type names. By default one is chosen; for people, the first by ' +
      'staff id.',
    example: '7k2m9x4qpz3d',
  })
  readonly resource_id?: string;
}

/** The fields of the event's envelope. */
class TriggeredEventResponse {
  @IdField('event')
  readonly event_id!: string;
  @EnumField(EVENT_TYPES, { example: 'person.updated' })
  readonly event_type!: string;
  @TextField({ example: '7k2m9x4qpz3d' })
  readonly resource_id!: string;
  @TextField({ description: 'The family of the event.', example: 'person' })
  readonly resource_type!: string;
  @DateTimeField()
  readonly occurred_at!: string;
}

/** The requested event. */
export interface SandboxEventInput {
  readonly eventType: WebhookEventType;
  /** Undefined means the first resource of the kind. */
  readonly resourceId: string | undefined;
}

/**
 * By family: SQL for the first id, or for the requested one if it exists. `$1` is the tenant, `$2` the
 * requested id or null.
 */
const RESOURCES: Readonly<Record<string, string>> = {
  person: from('people', 'person_id', 'identity_revision is not null', 'staff_id nulls last'),
  time_off: from('time_off', 'id', 'true'),
  time_off_category: from('time_off_categories', 'id', 'true'),
  org_unit: from('org_units', 'id', 'true'),
  working_pattern: from('working_patterns', 'id', 'true'),
  webhook: from('webhooks', 'id', `status <> 'deleted'`),
};

function from(table: string, id: string, condition: string, order = id): string {
  return `select ${id} as id from ${table} where organisation_id = $1 and ${condition} and ($2::text is null
    or ${id} = $2) order by ${order}, ${id} limit 1`;
}

async function resourceOf(
  { executor, mint }: CommandServices,
  organisationId: string,
  { eventType, resourceId }: SandboxEventInput,
): Promise<string> {
  const family = familyOf(eventType);
  const text = RESOURCES[family];
  // An organisation has one set of time-off settings, which uses the organisation's id.
  const known =
    text === undefined
      ? mint.publicOrganisation(organisationId)
      : await firstOf(text, [organisationId, resourceId ?? null]);
  if (known !== null && (resourceId === undefined || known === resourceId)) return known;
  if (resourceId !== undefined)
    throw new RejectedError(notFound('resource_id', `there is no such ${family} in the sandbox`));
  throw new RejectedError(conflict('resource_id', `there is no ${family} in the sandbox yet`));

  async function firstOf(query: string, values: readonly unknown[]): Promise<string | null> {
    const { rows } = await executor.query<{ id: string }>({
      name: `sandbox-event-${family}`,
      text: query,
      values: [...values],
    });
    return rows[0]?.id ?? null;
  }
}

/**
 * Records an event to publish to the endpoints of the context's sandbox tenant that subscribe to its type; it
 * is delivered like any other event. Throws {@link RejectedError}: the key lacks the scope of the type, no
 * such resource.
 */
class TriggerSandboxEvent extends Command<PublicEvent> {
  constructor(
    readonly context: CommandContext,
    readonly requested: SandboxEventInput,
    readonly granted: GrantedScopes,
  ) {
    super();
  }
}

@CommandHandler(TriggerSandboxEvent)
class TriggerSandboxEventHandler implements ICommandHandler<TriggerSandboxEvent> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, requested, granted }: TriggerSandboxEvent): Promise<PublicEvent> {
    const { organisationId, seed } = context;
    const { eventType } = requested;
    const rejection = subscriptionRejection(granted, [eventType]);
    if (rejection !== null)
      throw new RejectedError({
        ...rejection,
        details: rejection.details.map(({ issue }) => ({ field: 'event_type', issue })),
      });
    return commit(this.services, context, async (within) => {
      const resourceId = await resourceOf(this.services, organisationId, requested);
      const result = await execute(this.services, within, sandboxEventAggregate, nameBasedUuid(...seed), {
        decide: (state) => decideSandboxEvent({ eventType, resourceId }, state),
      });
      return () => {
        const [published] = publicEventsOf(this.services.mint, [sandboxEventAggregate], result.events);
        if (published === undefined) throw new Error(`a triggered ${eventType} is not published`);
        return published;
      };
    });
  }
}

/** Creates an empty tenant for the context's organisation, see {@link prepareSandbox}. */
export class PrepareSandbox extends Command<OrganisationRow> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

/** Makes the test keys of the context's organisation act for a tenant, see {@link openSandbox}. */
export class OpenSandbox extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly openedOn: LocalDate,
  ) {
    super();
  }
}

@CommandHandler(PrepareSandbox)
class PrepareSandboxHandler implements ICommandHandler<PrepareSandbox> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context }: PrepareSandbox): Promise<OrganisationRow> {
    return prepareSandbox(this.services, context);
  }
}

@CommandHandler(OpenSandbox)
class OpenSandboxHandler implements ICommandHandler<OpenSandbox> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, tenantId, openedOn }: OpenSandbox): Promise<void> {
    return openSandbox(this.services, context, tenantId, openedOn);
  }
}

@Controller('sandbox/events')
class SandboxEventController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @Operation({
    operationId: 'triggerSandboxEvent',
    summary: 'Trigger an event without a change',
    description:
      'On the sandbox address only; the live address answers 404. The event goes to every webhook of the sandbox ' +
      'that subscribes to its type, signed and retried like any other, and nothing else changes.',
    tags: ['Sandbox'],
    scope: 'webhooks:manage',
    capability: 'sandbox.events.trigger',
    body: TriggerEventRequest,
    response: TriggeredEventResponse,
    successStatus: 201,
    write: { ifMatch: 'none' },
  })
  trigger(@Receive() call: Call<TriggerEventRequest>): Promise<Answer> {
    const { event_type: eventType, resource_id: resourceId } = call.body;
    const requested = { eventType: eventType as WebhookEventType, resourceId };
    return send(
      this.commands,
      call,
      (context) => new TriggerSandboxEvent(context, requested, call.key.scopes),
      answerWith,
    );
  }
}

function answerWith({ id, type, resourceId, resourceType, occurredAt }: PublicEvent): Answer {
  return {
    data: {
      event_id: id,
      event_type: type,
      resource_id: resourceId,
      resource_type: resourceType,
      occurred_at: occurredAt,
    },
  };
}

/** The tenants of the test keys of organisations. */
export const sandboxResource = defineResource({
  area: 'integration',
  aggregates: [sandboxAggregate],
  projections: [sandboxProjection],
  schema: SANDBOXES_SCHEMA,
  handlers: [PrepareSandboxHandler, OpenSandboxHandler],
});

/** Webhook events that a caller of the sandbox triggers. */
export const sandboxEventResource = defineResource({
  area: 'integration',
  aggregates: [sandboxEventAggregate],
  controllers: [SandboxEventController],
  providers: [TriggerSandboxEventHandler],
});
