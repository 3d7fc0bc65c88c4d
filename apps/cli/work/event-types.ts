import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { requireKnown } from '../closest-match.js';

const EVENT_TYPES = Object.keys(WEBHOOK_EVENTS);

/**
 * The event types of a comma-separated list; `all` means the event types of this version. Throws
 * {@link CommandError}.
 */
export function eventTypesOf(list: string): readonly string[] {
  const types = list.split(',').map((type) => type.trim());
  const named = [...new Set(types.filter((type) => type !== ''))];
  return named.length === 1 && named[0] === 'all' ? EVENT_TYPES : named.map(eventTypeOf);
}

/** The event type that a text names. Throws {@link CommandError} where there is none of that name. */
export function eventTypeOf(type: string): string {
  return requireKnown('event type', type, EVENT_TYPES);
}

/** Event types as a short text. */
export function eventTypesText(types: readonly string[]): string {
  return types.length === EVENT_TYPES.length ? 'all' : types.join(',');
}
