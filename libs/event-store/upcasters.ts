import type { JsonObject } from '#kernel/json.js';
import type { EventMetadata, RecordedEvent } from './event-store.js';

/**
 * Converts an event's data from one schema version to the next. Pure, and must not throw for any data. It
 * receives the data as stored: encrypted fields are still encrypted.
 */
export type Upcaster = (data: JsonObject) => JsonObject;

/** The schema version of events of a type without upcasters. */
export const FIRST_VERSION = 1;
const registered = new Map<string, readonly Upcaster[]>();
/**
 * By event type: the upcaster at index 0 converts version 1 to version 2, and so on. Most types have none.
 */
export const upcastersOfTypes: ReadonlyMap<string, readonly Upcaster[]> = registered;
const STORED = Symbol('the event as stored');

type UpcastEvent = RecordedEvent & { readonly [STORED]?: RecordedEvent };

/** The schema version in which events of this type are recorded now. */
export function schemaVersionOf(type: string): number {
  return FIRST_VERSION + (upcastersOfTypes.get(type)?.length ?? 0);
}

/**
 * Registers the step from version `from` of an event type to the next version; from then on events of the
 * type are recorded with the next version. Call it next to the events of the aggregate, so that every process
 * that reads the type has it. Returns a function that unregisters the step. Throws RangeError if a version is
 * skipped or registered twice.
 */
export function registerUpcaster(type: string, from: number, upcaster: Upcaster): () => void {
  const before = upcastersOfTypes.get(type);
  if (from !== schemaVersionOf(type))
    throw new RangeError(`events of type ${type} are at version ${schemaVersionOf(type)}, not ${from}`);
  registered.set(type, [...(before ?? []), upcaster]);
  return () => {
    if (before === undefined) registered.delete(type);
    else registered.set(type, before);
  };
}

/**
 * The event in the latest schema version of its type. Every adapter passes its events through this function,
 * so deciders, projections and responses only handle the latest version. An event of a newer version than
 * this program supports is returned unchanged.
 */
export function upcast(event: RecordedEvent): RecordedEvent {
  const upcasters = upcastersOfTypes.get(event.type);
  if (upcasters === undefined) return event;
  const version = versionOf(event.metadata);
  if (version === null || version > upcasters.length) return event;
  const data = upcasters.slice(version - FIRST_VERSION).reduce((older, upcaster) => upcaster(older), event.data);
  const latest: UpcastEvent = {
    ...event,
    data,
    metadata: { ...event.metadata, schema_version: schemaVersionOf(event.type) },
    [STORED]: event,
  };
  return latest;
}

/** The stored form of the event, which its hash covers and an export writes. */
export function asStored(event: RecordedEvent): RecordedEvent {
  return (event as UpcastEvent)[STORED] ?? event;
}

/** The schema version; null for tampered metadata. */
function versionOf(metadata: EventMetadata | null): number | null {
  const version: unknown = metadata?.schema_version;
  return Number.isSafeInteger(version) && (version as number) >= FIRST_VERSION ? (version as number) : null;
}
