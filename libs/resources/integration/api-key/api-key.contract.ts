import { BooleanField, DateTimeField, EnumField, enumeration, IdField, ListField, ObjectField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { SCOPES, type Scope } from '#kernel/scopes.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { MAXIMUM_NAME_LENGTH } from '../../naming/name-key.js';
import { NamedActorResponse } from '../../people/audit-report/actor.contract.js';

const ENVIRONMENTS = ['live', 'sandbox'] as const;
const SCOPES_EXAMPLE = ['people:read', 'people:write'];

export class ApiKeyResponse {
  @IdField('apiKey')
  readonly id!: string;
  @TextField({ maximumLength: MAXIMUM_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
  @EnumField(ENVIRONMENTS, { description: 'live: for this address; sandbox: a test key, for the address of the sandbox.' })
  readonly environment!: KeyEnvironment;
  @ListField(enumeration(SCOPES), { maximumItems: SCOPES.length, example: SCOPES_EXAMPLE })
  readonly scopes!: readonly Scope[];
  @EnumField(['active', 'expired', 'revoked'])
  readonly status!: 'active' | 'expired' | 'revoked';
  @TextField({ maximumLength: 20, description: 'What the key begins with.', example: 'svc_live_' })
  readonly prefix!: string;
  @TextField({ maximumLength: 4, description: 'The end of the key.', example: '8Zk2' })
  readonly last_four!: string;
  @DateTimeField({ nullable: true, description: 'Null for a key that does not expire.', example: null })
  readonly expires_at!: string | null;
  @DateTimeField({ nullable: true, description: 'Null for a key that is not revoked.', example: null })
  readonly revoked_at!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @ObjectField(() => NamedActorResponse, { nullable: true, description: 'Who made the key; null while an upgrade runs.' })
  readonly made_by!: NamedActorResponse | null;
}

/** A key that was revoked together with what it goes back to. */
export class RevokedWithShape {
  @IdField('apiKey')
  readonly id!: string;
  @TextField({ maximumLength: MAXIMUM_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
}

/** The most keys that an answer names. */
export const MAXIMUM_REVOKED = 10_000;

export class RevokedApiKeyResponse extends ApiKeyResponse {
  @ListField(() => RevokedWithShape, { maximumItems: MAXIMUM_REVOKED, description: 'The keys that were revoked with it.' })
  readonly revoked_keys!: readonly RevokedWithShape[];
}

export class RevokeApiKeyRequest {
  @BooleanField({
    optional: true,
    description: 'Whether the keys that it made, and those that these made, are revoked as well; true where not given.',
    example: true,
  })
  readonly revoke_keys?: boolean;
}

export class ApiKeyWithSecretResponse extends ApiKeyResponse {
  @TextField({
    maximumLength: 60,
    nullable: true,
    description: 'The whole key, shown once: null where the request is repeated.',
    example: null,
  })
  readonly api_key!: string | null;
}

export class ApiKeyParameters {
  @IdField('apiKey', { description: 'Id of the API key.' })
  readonly keyId!: string;
}

export class ApiKeysQuery extends PageQuery {}

export class CreateApiKeyRequest {
  @TextField({ minimumLength: 1, maximumLength: MAXIMUM_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
  @ListField(enumeration(SCOPES), {
    minimumItems: 1,
    maximumItems: SCOPES.length,
    description: 'Each once. The caller needs each of them.',
    example: SCOPES_EXAMPLE,
  })
  readonly scopes!: readonly Scope[];
  @EnumField(ENVIRONMENTS, { optional: true, description: 'live where not given. sandbox needs a sandbox, which an operator makes.' })
  readonly environment?: KeyEnvironment;
  @DateTimeField({
    optional: true,
    nullable: true,
    description: 'In the future; a key that expires makes only keys that expire no later. Without it the key does not expire.',
    example: null,
  })
  readonly expires_at?: string | null;
}
