import { Controller, Post } from '@nestjs/common';
import { answering } from '#http/answering.js';
import type { Answer, Call } from '#http/call.js';
import { Operation, Receive } from '#http/operation.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { PublicEvent } from '#webhooks/deliver/envelope.js';
import { WebhookResourceServices } from '../webhook/webhook.services.js';
import { triggerEvent } from './sandbox-event.commands.js';
import { TriggeredEventResponse, TriggerEventRequest } from './sandbox-event.contract.js';

@Controller('sandbox/events')
export class SandboxEventController {
  constructor(private readonly services: WebhookResourceServices) {}

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
  async trigger(@Receive() call: Call<TriggerEventRequest>): Promise<Answer> {
    const { event_type: eventType, resource_id: resourceId } = call.body;
    const wanted = { eventType: eventType as WebhookEventType, resourceId };
    return answerWith(await triggerEvent(this.services, answering(call, answerWith), wanted, call.key.scopes));
  }
}

function answerWith({ id, type, resourceId, resourceType, occurredAt }: PublicEvent): Answer {
  return { data: { event_id: id, event_type: type, resource_id: resourceId, resource_type: resourceType, occurred_at: occurredAt } };
}
