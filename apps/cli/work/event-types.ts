import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { requireKnown, requireKnownList } from '../closest-match.js';

const EVENT_TYPES = Object.keys(WEBHOOK_EVENTS);

/**
 * The event types of a comma-separated list; `all` means those of this version. Throws {@link UsageError}.
 */
export function eventTypesOf(list: string): readonly string[] {
  return requireKnownList('event type', list, EVENT_TYPES);
}

/** The event type of this name. Throws {@link CommandError} if there is none. */
export function eventTypeOf(type: string): string {
  return requireKnown('event type', type, EVENT_TYPES);
}

/** Event types as a short text. */
export function eventTypesText(types: readonly string[]): string {
  return types.length === EVENT_TYPES.length ? 'all' : types.join(',');
}
