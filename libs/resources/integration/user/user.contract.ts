import { BooleanField, DateTimeField, EnumField, IdField, IntegerField, ListField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { type Role, ROLES } from '#kernel/roles.js';
import { MAXIMUM_REVOKED, RevokedWithShape } from '../api-key/api-key.contract.js';

const EMAIL_LENGTH = 254;
const EMAIL_EXAMPLE = 'ada@example.com';

export class UserResponse {
  @IdField('user')
  readonly id!: string;
  @TextField({ format: 'email', maximumLength: EMAIL_LENGTH, example: EMAIL_EXAMPLE })
  readonly email!: string;
  @EnumField(ROLES)
  readonly role!: Role;
  @EnumField(['invited', 'active', 'deactivated'], {
    description: 'invited: has never signed in. A deactivated user cannot sign in.',
    example: 'active',
  })
  readonly status!: 'invited' | 'active' | 'deactivated';
  @EnumField(['link', 'openid_connect'], {
    description: 'openid_connect: has signed in at the OpenID provider, which decides about the role at each sign-in.',
  })
  readonly signs_in_by!: 'link' | 'openid_connect';
  @DateTimeField()
  readonly created_at!: string;
}

export class ListedUserResponse extends UserResponse {
  @IntegerField({ minimum: 0, description: 'Sessions that have not ended.', example: 1 })
  readonly sessions!: number;
}

export class UserWithLinkResponse extends UserResponse {
  @TextField({
    maximumLength: 2_048,
    nullable: true,
    description: 'Signs in once as this user, shown once: null where the request is repeated. What follows # never leaves the browser.',
    example: null,
  })
  readonly sign_in_link!: string | null;
  @DateTimeField({ nullable: true, description: 'When the link stops working; null where none is shown.', example: null })
  readonly sign_in_link_expires_at!: string | null;
}

export class UserParameters {
  @IdField('user', { description: 'Id of the user.' })
  readonly userId!: string;
}

export class UsersQuery extends PageQuery {}

export class InviteUserRequest {
  @TextField({ format: 'email', minimumLength: 1, maximumLength: EMAIL_LENGTH, example: EMAIL_EXAMPLE })
  readonly email!: string;
  @EnumField(ROLES, { description: 'The caller needs every scope of the role.' })
  readonly role!: Role;
}

export class UpdateUserRequest {
  @EnumField(ROLES, { description: 'The caller needs every scope of the role.' })
  readonly role!: Role;
}

export class DeactivateUserRequest {
  @BooleanField({
    optional: true,
    description: 'Whether the API keys that they made, and those that these made, are revoked as well; true where not given.',
    example: true,
  })
  readonly revoke_keys?: boolean;
}

export class DeactivatedUserResponse extends UserResponse {
  @ListField(() => RevokedWithShape, { maximumItems: MAXIMUM_REVOKED, description: 'The API keys that were revoked with it.' })
  readonly revoked_keys!: readonly RevokedWithShape[];
}
