import { ERASED } from '#kernel/erasure.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { Stream } from '#projections/projection.js';
import { openJson, sealJson } from '../../people/person/person-seal.js';
import type { ProviderMappingEvent } from './provider-mapping.decider.js';

/** The person whose key encrypts the external id of a resource: the resource is or belongs to this person. */
export interface MappingOwner {
  readonly personId: string;
  readonly key: Buffer;
}

/** An event as it is stored: the external id is encrypted where the resource belongs to a person, because it could identify them. */
export function sealMappingEvent(event: ProviderMappingEvent, owner: MappingOwner | null): DomainEvent {
  if (owner === null || event.type === 'ProviderMappingRemoved') return event;
  const seal = ({ external_id: externalId, ...rest }: JsonObject): JsonObject =>
    externalId === undefined ? rest : { ...rest, sealed_external_id: sealJson(externalId, owner.key) };
  const data = event.type === 'ProviderMappingCreated' ? seal(event.data) : { changes: seal(event.data.changes) };
  return { type: event.type, data: { ...data, person_id: owner.personId } };
}

/** The event as the decider takes it; without the key, after erasure, an encrypted external id reads `[erased]`. */
export function openMappingEvent({ type, data: { person_id: _, ...data } }: DomainEvent, key: Buffer | null): ProviderMappingEvent {
  const open = ({ sealed_external_id: sealed, ...rest }: JsonObject): JsonObject =>
    sealed === undefined ? rest : { ...rest, external_id: openExternalId(sealed, key) };
  return {
    type,
    data: type === 'ProviderMappingChanged' ? { changes: open(data['changes'] as JsonObject) } : open(data),
  } as ProviderMappingEvent;
}

/**
 * The person whose key decrypts a mapping's stream; null where the resource belongs to no person, and for mappings recorded before external
 * ids were encrypted.
 */
export function ownerOfStream(stream: Stream): string | null {
  const sealed = stream.find(({ data }) => typeof data['person_id'] === 'string');
  return sealed === undefined ? null : (sealed.data['person_id'] as string);
}

function openExternalId(sealed: Json, key: Buffer | null): string {
  return key === null ? ERASED : (openJson(sealed as string, key) as string);
}
