import { Controller, Delete, Get, Inject, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CLOCK, PUBLIC_URL } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { BooleanField, DateTimeField, EnumField, IdField, IntegerField, ListField, TextField } from '#http/fields.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { byCreatedAt, PageQuery, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { type Role, ROLES } from '#kernel/roles.js';
import { personErased } from '#people/erasure/erasure-policy.js';
import { PERSON_EXAMPLE } from '#people/person/person-reference.js';
import { MAX_REVOKED, RevokedWithShape } from '../api-key/api-key.api.js';
import { sendAsManager } from '../send-as-manager.js';
import {
  ChangeUser,
  InviteUser,
  MakeSignInLink,
  SignOutUser,
  unlinkErasedPerson,
  USER_HANDLERS,
  type UserWithLink,
} from './administer-users.js';
import { AI_CLIENT_HANDLERS } from './administer-ai-clients.js';
import { CALENDAR_LINK_HANDLERS, revokeLinksToErasedPerson } from './administer-calendar-links.js';
import { AI_CLIENTS_MIGRATION } from './ai-clients.js';
import { CALENDAR_LINKS_MIGRATION, TEAM_LINKS_MIGRATION } from './calendar-links.js';
import { NOTICE_READS_MIGRATION } from './notices.js';
import { PREFERENCES_MIGRATION } from './preferences.js';
import { OPERATOR_HANDLERS } from './operate-users.js';
import { SIGN_IN_HANDLERS } from './sign-in.js';
import {
  listUserPage,
  PERSON_OF_USER_MIGRATION,
  statusOfUser,
  SIGN_INS_MIGRATION,
  userAggregate,
  userProjection,
  type UserRow,
  USERS_MIGRATION,
} from './user.js';

const EMAIL_LENGTH = 254;
const EMAIL_EXAMPLE = 'ada@example.com';

class UserResponse {
  @IdField('user')
  readonly id!: string;
  @TextField({ format: 'email', maximumLength: EMAIL_LENGTH, example: EMAIL_EXAMPLE })
  readonly email!: string;
  @EnumField(ROLES, { example: 'viewer' })
  readonly role!: Role;
  @EnumField(['invited', 'active', 'deactivated'], {
    description: 'invited: has never signed in. A deactivated user cannot sign in.',
    example: 'active',
  })
  readonly status!: 'invited' | 'active' | 'deactivated';
  @EnumField(['link', 'openid_connect'], {
    description: 'openid_connect: has signed in at the OpenID provider, which determines the role at each sign-in.',
  })
  readonly signs_in_by!: 'link' | 'openid_connect';
  @IdField('person', {
    nullable: true,
    description: 'The person whom the user is; null if they are linked with none.',
    example: null,
  })
  readonly person_id!: string | null;
  @DateTimeField()
  readonly created_at!: string;
}

class ListedUserResponse extends UserResponse {
  @IntegerField({ minimum: 0, description: 'Sessions that have not ended.', example: 1 })
  readonly sessions!: number;
}

class UserWithLinkResponse extends UserResponse {
  @TextField({
    maximumLength: 2_048,
    nullable: true,
    description:
      'Signs in once as this user, shown once: null in the response to a repeated request. The part after # never ' +
      'leaves the browser.',
    example: null,
  })
  readonly sign_in_link!: string | null;
  @DateTimeField({
    nullable: true,
    description: 'When the link expires; null if none is shown.',
    example: null,
  })
  readonly sign_in_link_expires_at!: string | null;
}

class UserParameters {
  @IdField('user', { description: 'Id of the user.' })
  readonly userId!: string;
}

class UsersQuery extends PageQuery {}

class InviteUserRequest {
  @TextField({ format: 'email', minimumLength: 1, maximumLength: EMAIL_LENGTH, example: EMAIL_EXAMPLE })
  readonly email!: string;
  @EnumField(ROLES, { description: 'The caller needs every scope of the role.', example: 'viewer' })
  readonly role!: Role;
}

class UpdateUserRequest {
  @EnumField(ROLES, { description: 'The caller needs every scope of the role.', example: 'viewer' })
  readonly role!: Role;
}

class LinkUserRequest {
  @IdField('person', { description: 'Id of the person whom the user is.', example: PERSON_EXAMPLE })
  readonly person_id!: string;
}

class DeactivateUserRequest {
  @BooleanField({
    optional: true,
    description:
      'Whether the API keys that they created, and those that these created, are revoked as well; true by default.',
    example: true,
  })
  readonly revoke_keys?: boolean;
}

class DeactivatedUserResponse extends UserResponse {
  @ListField(() => RevokedWithShape, {
    maximumItems: MAX_REVOKED,
    description: 'The API keys that were revoked with it.',
  })
  readonly revoked_keys!: readonly RevokedWithShape[];
}

type UserCall<Body = undefined> = Call<Body, unknown, UserParameters>;

const COMMON = { tags: ['Users'], scope: 'access:manage' } as const;
/** Responses contain an address, which is encrypted wherever else it is stored. */
const WRITE = {
  ...COMMON,
  write: { ifMatch: 'none', receipt: 'sealed' },
  errors: ['conflict', 'permission_denied'],
} satisfies Partial<OperationOptions>;
const OF_USER = { ...WRITE, parameters: UserParameters, response: UserResponse } satisfies Partial<OperationOptions>;
const SHOWS_LINK = {
  response: UserWithLinkResponse,
  redactForReplay: (data) => ({ ...data, sign_in_link: null, sign_in_link_expires_at: null }),
} satisfies Partial<OperationOptions>;

@Controller('users')
class UserController {
  constructor(
    private readonly services: ResourceServices,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUBLIC_URL) private readonly publicUrl: string | null,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listUsers',
    summary: 'List users',
    description:
      'The people who sign in to the console, in the order of creation, with deactivated ones. Erased users are left ' +
      'out.',
    capability: 'users.list',
    query: UsersQuery,
    response: ListedUserResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, UsersQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const request = { organisationId, filters: {}, query: call.query };
    const now = this.clock.now();
    const { rows, nextCursor } = await readPage(this.cursors, byCreatedAt('listUsers'), request, (after, count) =>
      listUserPage(this.services.executor, { organisationId, after, count, now }),
    );
    return { data: rows.map((row) => ({ ...presentUser(row), sessions: row.sessions })), nextCursor };
  }

  @Post()
  @Operation({
    ...WRITE,
    ...SHOWS_LINK,
    operationId: 'inviteUser',
    summary: 'Invite a user',
    description:
      'Creates a user, and a link that signs them in once within 15 minutes. Only this response shows the link; a ' +
      'replay shows null. The caller needs every scope of the role, and a key that expires may not invite.',
    capability: 'users.invite',
    body: InviteUserRequest,
    successStatus: 201,
  })
  invite(@Receive() call: Call<InviteUserRequest>): Promise<Answer> {
    const { email, role } = call.body;
    return sendAsManager(
      this.commands,
      call,
      (context) => new InviteUser(context, { email, role }),
      this.answerWithLink(call),
    );
  }

  @Patch(':userId')
  @Operation({
    ...OF_USER,
    operationId: 'updateUser',
    summary: 'Change the role of a user',
    description:
      'Takes effect within a second, in open sessions too. The caller needs every scope of both roles. Users cannot ' +
      'change themselves, and the last administrator cannot lose the role.',
    capability: 'users.update',
    body: UpdateUserRequest,
  })
  update(@Receive() call: UserCall<UpdateUserRequest>): Promise<Answer> {
    return this.change(call, { type: 'set_role', role: call.body.role });
  }

  @Post(':userId/link')
  @Operation({
    ...OF_USER,
    operationId: 'linkUser',
    summary: 'Link a user with a person',
    description:
      'The user is this person: as an employee they see themselves, as a manager also those who report to them. One ' +
      'user is one person. The caller needs every scope of the role of the user, and a key that expires may not link.',
    capability: 'users.link',
    body: LinkUserRequest,
    errors: ['not_found', 'conflict', 'permission_denied'],
  })
  link(@Receive() call: UserCall<LinkUserRequest>): Promise<Answer> {
    return this.change(call, { type: 'link', personId: call.body.person_id });
  }

  @Post(':userId/unlink')
  @Operation({
    ...OF_USER,
    operationId: 'unlinkUser',
    summary: 'End the link of a user with a person',
    description: 'Ends their sessions within a second, and revokes their sign-in link. They may sign in again.',
    capability: 'users.unlink',
  })
  unlink(@Receive() call: UserCall): Promise<Answer> {
    return this.change(call, { type: 'unlink' });
  }

  @Post(':userId/deactivate')
  @Operation({
    ...OF_USER,
    operationId: 'deactivateUser',
    summary: 'Deactivate a user',
    description:
      'Ends their sessions and revokes their link; they cannot sign in until they are reactivated. The API keys that ' +
      'they created are revoked too, with the keys that these created, unless revoke_keys is false. A remaining key ' +
      'cannot manage access.',
    capability: 'users.deactivate',
    body: DeactivateUserRequest,
    isBodyOptional: true,
    response: DeactivatedUserResponse,
  })
  deactivate(@Receive() call: UserCall<DeactivateUserRequest>): Promise<Answer> {
    const { revoke_keys: revokeKeys = true } = call.body;
    return this.change(call, { type: 'deactivate', revokeKeys });
  }

  @Post(':userId/reactivate')
  @Operation({
    ...OF_USER,
    operationId: 'reactivateUser',
    summary: 'Reactivate a user',
    description: 'They may sign in again, with their previous role. Earlier sessions and API keys are not restored.',
    capability: 'users.reactivate',
  })
  reactivate(@Receive() call: UserCall): Promise<Answer> {
    return this.change(call, { type: 'reactivate' });
  }

  @Post(':userId/sign-in-link')
  @Operation({
    ...OF_USER,
    ...SHOWS_LINK,
    operationId: 'createSignInLink',
    summary: 'Create a sign-in link for a user',
    description:
      'The link works once within 15 minutes, and an earlier one no longer. An event records its creator. Refused ' +
      'for a user who signs in at the OpenID provider.',
    capability: 'users.create_sign_in_link',
  })
  signInLink(@Receive() call: UserCall): Promise<Answer> {
    const { userId } = call.parameters;
    return sendAsManager(
      this.commands,
      call,
      (context) => new MakeSignInLink(context, userId),
      this.answerWithLink(call),
    );
  }

  @Delete(':userId/sessions')
  @Operation({
    ...OF_USER,
    operationId: 'endUserSessions',
    summary: 'Sign a user out everywhere',
    description: 'Ends all sessions of the user within a second, and revokes their link. They may sign in again.',
    capability: 'users.end_sessions',
    response: null,
  })
  signOut(@Receive() call: UserCall): Promise<Answer> {
    return sendAsManager(this.commands, call, (context) => new SignOutUser(context, call.parameters.userId));
  }

  private change(call: UserCall<unknown>, change: ChangeUser['change']): Promise<Answer> {
    return sendAsManager(
      this.commands,
      call,
      (context) => new ChangeUser(context, call.parameters.userId, change),
      ({ row, revokedKeys }) => ({
        data: { ...presentUser(row), revoked_keys: revokedKeys.map(({ key_id: id, name }) => ({ id, name })) },
      }),
    );
  }

  private answerWithLink({ address }: Pick<Call, 'address'>): (user: UserWithLink) => Answer {
    return (user) => ({ data: presentWithLink(this.publicUrl ?? address(), user) });
  }
}

function presentWithLink(address: string, { row, link }: UserWithLink): UserWithLinkResponse {
  return {
    ...presentUser(row),
    // A fragment never leaves the browser, so that no server or proxy logs it.
    sign_in_link: link === null ? null : `${address}/console/sign-in#${link.token}`,
    sign_in_link_expires_at: link?.expiresAt.toISOString() ?? null,
  };
}

function presentUser(row: UserRow): UserResponse {
  const { id, email, role, issuer, person_id, created_at } = row;
  const status = statusOfUser(row);
  return {
    id,
    email,
    role,
    status: status === 'erased' ? 'deactivated' : status,
    signs_in_by: issuer === null ? 'link' : 'openid_connect',
    person_id,
    created_at: created_at.toISOString(),
  };
}

/**
 * The people who sign in to the console. Operators invite and change them on the command line, administrators
 * over the API.
 */
export const userResource = defineResource({
  area: 'integration',
  aggregates: [userAggregate],
  projections: [userProjection],
  migrations: [
    USERS_MIGRATION,
    NOTICE_READS_MIGRATION,
    SIGN_INS_MIGRATION,
    PERSON_OF_USER_MIGRATION,
    CALENDAR_LINKS_MIGRATION,
    PREFERENCES_MIGRATION,
    TEAM_LINKS_MIGRATION,
    AI_CLIENTS_MIGRATION,
  ],
  policies: [personErased.policy(unlinkErasedPerson), personErased.policy(revokeLinksToErasedPerson)],
  controllers: [UserController],
  handlers: [
    ...USER_HANDLERS,
    ...OPERATOR_HANDLERS,
    ...SIGN_IN_HANDLERS,
    ...CALENDAR_LINK_HANDLERS,
    ...AI_CLIENT_HANDLERS,
  ],
});
