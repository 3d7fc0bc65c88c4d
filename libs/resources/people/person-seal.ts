import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { DomainEvent } from '#kernel/decider.js';
import type { Identity, PersonEvent, WholeIdentity } from './person.decider.js';

/** Bytes of a person's key: AES-256. */
export const PERSON_KEY_BYTES = 32;

/** What stands for a value whose key was destroyed. */
export const ERASED = '[erased]';

const ERASED_IDENTITY: WholeIdentity = {
  work_email: ERASED,
  first_name: ERASED,
  preferred_name: ERASED,
  last_name: ERASED,
  staff_id: null,
};

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An event of the person stream as it rests: identity sealed with the person's key (AES-256-GCM), so that erasing the key erases it. */
export function sealPersonEvent(event: PersonEvent, key: Buffer): DomainEvent {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(event.data.identity), 'utf8'), cipher.final()]);
  const sealed = Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text]).toString('base64');
  return { type: event.type, data: { sealed } };
}

/** The event as the decider knows it. Without the key, the fields of the first event read `[erased]` and later ones name none. */
export function openPersonEvent(event: Pick<RecordedEvent, 'type' | 'data'>, key: Buffer | null): PersonEvent {
  const type = event.type as PersonEvent['type'];
  if (key === null) return erased(type);
  const sealed = Buffer.from(event.data['sealed'] as string, 'base64');
  if (sealed[0] !== VERSION) throw new Error(`a person event is sealed in version ${sealed[0]}, which this program does not know`);
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAuthTag(tag);
  const text = Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  return { type, data: { identity: JSON.parse(text) as Identity } } as PersonEvent;
}

function erased(type: PersonEvent['type']): PersonEvent {
  return type === 'PersonCreated' ? { type, data: { identity: ERASED_IDENTITY } } : { type, data: { identity: {} } };
}
