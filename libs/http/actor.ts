import { EnumField, TextField } from './fields.js';

export const ACTOR_TYPES = ['api_key', 'user', 'operator', 'system'] as const;
const MAX_ACTOR_LENGTH = 300;

/** The actor that recorded an event. */
export class NamedActorResponse {
  @EnumField(ACTOR_TYPES, { example: 'user' })
  readonly type!: string;
  @TextField({
    maximumLength: MAX_ACTOR_LENGTH,
    description: 'Id of the API key or the user, or the name of the operator or job.',
    example: 'usr_Kq3vW8dZ.f6',
  })
  readonly id!: string;
  @TextField({
    maximumLength: MAX_ACTOR_LENGTH,
    nullable: true,
    description:
      'The name of the API key or the e-mail address of the user; null for other actors. A timeline contains ' +
      'addresses only for callers with audit:read.',
    example: 'grace@northwind.example',
  })
  readonly name!: string | null;
}
