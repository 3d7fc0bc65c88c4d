import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';

// These names and fields are the storage format: add new ones, never rename or remove.
/** The resource did not change: the event is published as if it had. */
export type SandboxEventEvent = DomainEvent<'SandboxEventTriggered', { event_type: string; resource_id: string }>;

/** Whether the stream contains its triggered event. */
export type SandboxEventState = { readonly isTriggered: boolean };

const initialSandboxEvent: SandboxEventState = { isTriggered: false };

/** The state with one more event. */
function evolveSandboxEvent(_: SandboxEventState, event: SandboxEventEvent): SandboxEventState {
  return { isTriggered: event.type === 'SandboxEventTriggered' };
}

/** The event of a trigger: each stream contains one event. */
export function decideSandboxEvent(
  command: { readonly eventType: string; readonly resourceId: string },
  state: SandboxEventState,
): Decision<SandboxEventEvent> {
  if (state.isTriggered) return accept();
  return accept({
    type: 'SandboxEventTriggered',
    data: { event_type: command.eventType, resource_id: command.resourceId },
  });
}

export const sandboxEventAggregate = defineAggregate({
  category: 'sandbox-event',
  initial: initialSandboxEvent,
  evolve: evolveSandboxEvent,
  publishedAs: { SandboxEventTriggered: ({ data }) => [data.event_type as WebhookEventType] },
  publishedOf: ({ data }) => data.resource_id,
});
