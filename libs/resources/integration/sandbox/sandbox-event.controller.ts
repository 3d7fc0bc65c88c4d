import { Controller, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { PublicEvent } from '#webhooks/deliver/envelope.js';
import { TriggeredEventResponse, TriggerEventRequest } from './sandbox-event.contract.js';
import { TriggerSandboxEvent } from './sandbox-event.handlers.js';

@Controller('sandbox/events')
export class SandboxEventController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @Operation({
    operationId: 'triggerSandboxEvent',
    summary: 'Trigger an event, as if something had happened',
    description:
      'On the sandbox address only; the live address answers 404. The event goes to every webhook of the sandbox that subscribes to its type, signed and retried like any other, and nothing else changes.',
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
    const wanted = { eventType: eventType as WebhookEventType, resourceId };
    return send(this.commands, call, (context) => new TriggerSandboxEvent(context, wanted, call.key.scopes), answerWith);
  }
}

function answerWith({ id, type, resourceId, resourceType, occurredAt }: PublicEvent): Answer {
  return { data: { event_id: id, event_type: type, resource_id: resourceId, resource_type: resourceType, occurred_at: occurredAt } };
}
