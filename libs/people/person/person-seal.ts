import { createHmac } from 'node:crypto';
import { openBytes, sealBytes } from '#database/seal.js';
import type { CommandContext } from '#commands/command-context.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import type { Json } from '#kernel/json.js';
import { ERASED_IDENTITY, type Identity, type PersonEvent } from './person.js';

/** Bytes of a person's key: AES-256. */
export const PERSON_KEY_BYTES = 32;

/** Encrypts a value with a person's key; returns base64. */
export function sealJson(value: Json, key: Buffer): string {
  return sealBytes(Buffer.from(JSON.stringify(value)), key).toString('base64');
}

/** Decrypts the result of {@link sealJson}. Throws as {@link openBytes} does. */
export function openJson(sealed: string, key: Buffer): Json {
  return JSON.parse(openBytes(Buffer.from(sealed, 'base64'), key).toString('utf8')) as Json;
}

/**
 * The context of a command whose body contains data that is stored encrypted, with a keyed fingerprint that
 * reveals nothing without the person's key. The request's own fingerprint is a hash of its body: with it, a
 * reader of the event could guess a name or a choice.
 */
export function withSealedFingerprint<Context extends CommandContext>(context: Context, key: Buffer): Context {
  const { fingerprint } = context;
  return fingerprint === null
    ? context
    : { ...context, fingerprint: createHmac('sha256', key).update(fingerprint).digest('hex') };
}

/** The stored form of an event of the person stream: the identity is encrypted with the person's key. */
export function sealPersonEvent(event: PersonEvent, key: Buffer): DomainEvent {
  if (event.type === 'PersonErased') return event;
  return { type: event.type, data: { sealed: sealJson(event.data.identity, key) } };
}

/**
 * The event in the decider's form. Without the key, the fields of the first event read `[erased]` and later
 * ones are empty.
 */
export function openPersonEvent(event: Pick<RecordedEvent, 'type' | 'data'>, key: Buffer | null): PersonEvent {
  const type = event.type as PersonEvent['type'];
  if (type === 'PersonErased') return { type, data: event.data as { reason: string | null } };
  if (key === null) return erased(type);
  return { type, data: { identity: openJson(event.data['sealed'] as string, key) as Identity } } as PersonEvent;
}

function erased(type: 'PersonCreated' | 'PersonIdentityChanged'): PersonEvent {
  return type === 'PersonCreated' ? { type, data: { identity: ERASED_IDENTITY } } : { type, data: { identity: {} } };
}
