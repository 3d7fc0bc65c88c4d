import { Controller, Get, Inject, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { handleCommand, isRecorded } from '#commands/handle-command.js';
import { CLOCK } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import type { Outcome, UnitContext } from '#commands/unit-of-work.js';
import { NamedActorResponse } from '#http/actor.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import {
  BooleanField,
  DateTimeField,
  enumeration,
  EnumField,
  IdField,
  ListField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { generateApiKey } from '#identifiers/api-key.js';
import { Operation, Receive } from '#http/operation.js';
import { byCreatedAt, PageQuery, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { MAX_NAME_LENGTH, normaliseName } from '#kernel/names.js';
import { conflict, found, invalid, notFound, RejectedError } from '#kernel/rejection.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { findOrganisation, type OrganisationRow } from '#organisation/organisation/organisation.js';
import { asManager, type Manager, refuseScopesBeyond } from '../grants.js';
import { findSandbox } from '../sandbox/sandbox.js';
import { sendAsManager } from '../send-as-manager.js';
import {
  API_KEYS_SCHEMA,
  apiKeyAggregate,
  type ApiKeyCommand,
  type ApiKeyEvent,
  apiKeyProjection,
  type ApiKeyRow,
  type ApiKeyState,
  decideApiKey,
  findApiKey,
  listApiKeyPage,
  listKeysMadeBy,
  MAKERS_MIGRATION,
} from './api-key.js';

const ENVIRONMENTS = ['live', 'sandbox'] as const;
const SCOPES_EXAMPLE = ['people:read', 'people:write'];

class ApiKeyResponse {
  @IdField('apiKey')
  readonly id!: string;
  @TextField({ maximumLength: MAX_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
  @EnumField(ENVIRONMENTS, {
    description: 'live: for this address; sandbox: a test key, for the address of the sandbox.',
  })
  readonly environment!: KeyEnvironment;
  @ListField(enumeration(SCOPES), { maximumItems: SCOPES.length, example: SCOPES_EXAMPLE })
  readonly scopes!: readonly Scope[];
  @EnumField(['active', 'expired', 'revoked'])
  readonly status!: 'active' | 'expired' | 'revoked';
  @TextField({ maximumLength: 20, description: 'The beginning of the key.', example: 'svc_live_' })
  readonly prefix!: string;
  @TextField({ maximumLength: 4, description: 'The end of the key.', example: '8Zk2' })
  readonly last_four!: string;
  @DateTimeField({ nullable: true, description: 'Null for a key that does not expire.', example: null })
  readonly expires_at!: string | null;
  @DateTimeField({ nullable: true, description: 'Null for a key that is not revoked.', example: null })
  readonly revoked_at!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @ObjectField(() => NamedActorResponse, {
    nullable: true,
    description: 'The actor that created the key; null during an upgrade.',
  })
  readonly made_by!: NamedActorResponse | null;
}

/** A key that was revoked together with its creator. */
export class RevokedWithShape {
  @IdField('apiKey')
  readonly id!: string;
  @TextField({ maximumLength: MAX_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
}

/** The maximum number of keys in a response. */
export const MAX_REVOKED = 10_000;

class RevokedApiKeyResponse extends ApiKeyResponse {
  @ListField(() => RevokedWithShape, { maximumItems: MAX_REVOKED, description: 'The keys that were revoked with it.' })
  readonly revoked_keys!: readonly RevokedWithShape[];
}

class RevokeApiKeyRequest {
  @BooleanField({
    optional: true,
    description:
      'Whether the keys that it created, and those that these created, are revoked as well; true by default.',
    example: true,
  })
  readonly revoke_keys?: boolean;
}

class ApiKeyWithSecretResponse extends ApiKeyResponse {
  @TextField({
    maximumLength: 60,
    nullable: true,
    description: 'The whole key, shown once: null in the response to a repeated request.',
    example: null,
  })
  readonly api_key!: string | null;
}

class ApiKeyParameters {
  @IdField('apiKey', { description: 'Id of the API key.' })
  readonly keyId!: string;
}

class ApiKeysQuery extends PageQuery {}

class CreateApiKeyRequest {
  @TextField({ minimumLength: 1, maximumLength: MAX_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
  @ListField(enumeration(SCOPES), {
    minimumItems: 1,
    maximumItems: SCOPES.length,
    description: 'Each once. The caller needs each of them.',
    example: SCOPES_EXAMPLE,
  })
  readonly scopes!: readonly Scope[];
  @EnumField(ENVIRONMENTS, {
    optional: true,
    description: 'live by default. sandbox needs a sandbox, which an operator creates.',
  })
  readonly environment?: KeyEnvironment;
  @DateTimeField({
    optional: true,
    nullable: true,
    description:
      'In the future; a key that expires creates only keys that expire no later. Without it the key does not expire.',
    example: null,
  })
  readonly expires_at?: string | null;
}

/** The data of a new API key. The key itself is never passed to a command. */
export interface NewApiKey {
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the whole key. */
  readonly secretHash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
  readonly expiresAt: Date | null;
  readonly now: Date;
}

/**
 * A key's row, and whether this command recorded it or an earlier attempt of the same request, whose secret
 * differs.
 */
export interface RecordedApiKey {
  readonly row: ApiKeyRow;
  readonly outcome: 'appended' | 'unchanged' | 'repeated';
}

/**
 * Records a key of an organisation in a unit of work; a sandbox key acts for the sandbox organisation. Its id
 * derives from the request, so that a repeat creates no second key. Throws {@link RejectedError}.
 */
export function stageApiKey(
  services: CommandServices,
  context: UnitContext,
  owner: Pick<OrganisationRow, 'id' | 'is_sandbox'>,
  requested: NewApiKey,
): Promise<Outcome<RecordedApiKey>> {
  const keyId = services.mint.prefixed('apiKey', owner.id, ...context.seed);
  return stage(services, context, owner.id, keyId, {
    type: 'create',
    ownerIsSandbox: owner.is_sandbox,
    now: requested.now.toISOString(),
    details: {
      name: normaliseName(requested.name),
      environment: requested.environment,
      scopes: requested.scopes,
      secret_hash: requested.secretHash.toString('hex'),
      prefix: requested.prefix,
      last_four: requested.lastFour,
      expires_at: requested.expiresAt?.toISOString() ?? null,
    },
  });
}

/** Whether an earlier attempt of the same request revoked this key. */
function isRevocationRecorded(services: CommandServices, context: CommandContext, keyId: string): Promise<boolean> {
  return isRecorded(services.store, context, {
    stream: apiKeyAggregate.streamOf(context.organisationId, keyId),
    part: 'revoke',
  });
}

/** A key that was revoked, and the keys that were revoked with it. */
export interface RevokedApiKey {
  readonly row: ApiKeyRow;
  readonly withIt: readonly ApiKeyRow[];
}

/**
 * Revokes a key permanently in a unit of work, and others with it; a revoked key stays revoked. Throws {@link
 * RejectedError} if there is no such key.
 */
export async function stageRevocation(
  services: CommandServices,
  context: UnitContext,
  keyId: string,
  others: readonly ApiKeyRow[],
): Promise<Outcome<RevokedApiKey>> {
  const key = await findApiKey(services.executor, keyId);
  if (key === null) throw new RejectedError(notFound('key_id', 'there is no such key'));
  const revoked = await stage(services, context, key.organisation_id, keyId, { type: 'revoke' });
  const revokedOthers = await stageRevocations(services, context, others);
  return async (written) => ({ row: (await revoked(written)).row, withIt: await revokedOthers(written) });
}

/** Revokes these keys in a unit of work. The outcome is those that were not revoked before this request. */
export async function stageRevocations(
  services: CommandServices,
  context: UnitContext,
  keys: readonly ApiKeyRow[],
): Promise<Outcome<readonly ApiKeyRow[]>> {
  const outcomes: Outcome<RecordedApiKey>[] = [];
  for (const { organisation_id: organisationId, key_id: keyId } of keys) {
    outcomes.push(await stage(services, context, organisationId, keyId, { type: 'revoke' }));
  }
  return async (written) => {
    const revoked: ApiKeyRow[] = [];
    for (const outcomeOf of outcomes) {
      const { row, outcome } = await outcomeOf(written);
      if (outcome !== 'unchanged') revoked.push(row);
    }
    return revoked;
  };
}

async function stage(
  services: CommandServices,
  context: UnitContext,
  organisationId: string,
  keyId: string,
  command: ApiKeyCommand,
): Promise<Outcome<RecordedApiKey>> {
  const { state, outcome } = await handleCommand<ApiKeyState, ApiKeyEvent>(services.store, context, {
    ...apiKeyAggregate,
    stream: apiKeyAggregate.streamOf(organisationId, keyId),
    decide: (state) => decideApiKey(command, state),
    onConflict: 'decide_again',
    part: command.type,
  });
  return async ({ executor }) => {
    const row = await findApiKey(executor, keyId);
    if (row === null) throw new Error(`key ${keyId} was recorded and its row is missing`);
    // As of the command: a repeat returns the same as its first attempt.
    return { row: { ...row, revoked_at: state.status === 'revoked' ? row.revoked_at : null }, outcome };
  };
}

/** A key that a member of the organisation requests. */
export type ApiKeyInput = Pick<NewApiKey, 'name' | 'environment' | 'scopes' | 'expiresAt' | 'now'>;

/**
 * A key, and its secret text; null if an earlier attempt of the same request created it, because it is shown
 * only once.
 */
export interface IssuedApiKey {
  readonly row: ApiKeyRow;
  readonly apiKey: string | null;
}

/**
 * Creates a key for the caller's organisation, in a unit of work. Throws {@link RejectedError}: scopes that
 * the caller lacks, an expiry later than that of the creating key, a test key without a sandbox, or invalid
 * data.
 */
async function issueApiKey(
  services: CommandServices,
  context: UnitContext,
  requested: ApiKeyInput,
  manager: Manager,
): Promise<Outcome<IssuedApiKey>> {
  refuseScopesBeyond(manager, requested.scopes, 'scopes');
  refuseLongerLife(requested, manager);
  const owner = found(await findOrganisation(services.executor, context.organisationId));
  if (requested.environment === 'sandbox' && (await findSandbox(services.executor, owner.id)) === null) {
    const issue = 'the organisation has no sandbox yet: the operator creates it with workforce sandbox refresh';
    throw new RejectedError(conflict('environment', issue));
  }
  const { apiKey, ...secret } = generateApiKey(requested.environment);
  const created = await stageApiKey(services, context, owner, { ...requested, ...secret });
  return async (written) => {
    const { row, outcome } = await created(written);
    return { row, apiKey: outcome === 'appended' ? apiKey : null };
  };
}

/** Without this rule, a key that is about to expire could create its own successor indefinitely. */
function refuseLongerLife({ expiresAt }: ApiKeyInput, { keyExpiresAt }: Manager): void {
  if (keyExpiresAt === null || (expiresAt !== null && expiresAt <= keyExpiresAt)) return;
  const issue = `must be ${keyExpiresAt.toISOString()} or earlier, when the key that creates it expires`;
  throw new RejectedError(invalid('expires_at', issue));
}

/**
 * Revokes, in a unit of work, a key of the caller's organisation and, with `withCreatedKeys`, the keys that
 * it created, except the calling key and those that it created: a key that replaces its creator revokes it.
 * Throws {@link RejectedError}: an unknown key, the caller's own, scopes that the caller lacks.
 */
async function revokeKeyOfOrganisation(
  services: CommandServices,
  context: UnitContext,
  {
    keyId,
    withCreatedKeys,
    manager,
  }: { readonly keyId: string; readonly withCreatedKeys: boolean; readonly manager: Manager },
): Promise<Outcome<RevokedApiKey>> {
  const { organisationId } = context;
  const isRepeat = await isRevocationRecorded(services, context, keyId);
  const key = await findApiKey(services.executor, keyId);
  const { scopes } = found(key?.organisation_id === organisationId ? key : null);
  if (!isRepeat && keyId === manager.id) throw new RejectedError(conflict('api_key', 'a key cannot revoke itself'));
  if (!isRepeat) refuseScopesBeyond(manager, scopes, 'api_key');
  const createdKeys = withCreatedKeys
    ? await listKeysMadeBy(services.executor, organisationId, { type: 'api_key', id: keyId }, manager.id)
    : [];
  return stageRevocation(services, context, keyId, createdKeys);
}

export class CreateApiKey extends Command<IssuedApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly requested: Omit<ApiKeyInput, 'now'>,
  ) {
    super();
  }
}

export class RevokeApiKey extends Command<RevokedApiKey> {
  constructor(
    readonly context: CommandContext,
    readonly keyId: string,
    /** Whether the keys that it created are revoked too. */
    readonly withCreatedKeys: boolean,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, requested }: CreateApiKey): Promise<IssuedApiKey> {
    const now = this.clock.now();
    return asManager(this.services, context, (within, manager) =>
      issueApiKey(this.services, within, { ...requested, now }, manager),
    );
  }
}

@CommandHandler(RevokeApiKey)
class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, keyId, withCreatedKeys }: RevokeApiKey): Promise<RevokedApiKey> {
    return asManager(this.services, context, (within, manager) =>
      revokeKeyOfOrganisation(this.services, within, { keyId, withCreatedKeys, manager }),
    );
  }
}

type RevokeCall = Call<RevokeApiKeyRequest, unknown, ApiKeyParameters>;

const COMMON = { tags: ['API keys'], scope: 'access:manage' } as const;

@Controller('api-keys')
class ApiKeyController {
  constructor(
    private readonly services: ResourceServices,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listApiKeys',
    summary: 'List API keys',
    description:
      'In the order of creation, with expired and revoked ones, and the creator of each. Only the last four ' +
      'characters of a key are shown.',
    capability: 'api_keys.list',
    query: ApiKeysQuery,
    response: ApiKeyResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, ApiKeysQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byCreatedAt('listApiKeys'),
      { organisationId, filters: {}, query: call.query },
      async (after, count) => {
        const page = await listApiKeyPage(this.services.executor, { organisationId, after, count });
        return page.map((row) => ({ ...row, id: row.key_id }));
      },
    );
    const now = this.clock.now();
    return { data: rows.map((row) => presentApiKey(row, now)), nextCursor };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'Only this response shows the key; a replay shows null. The caller needs every scope that it grants, and so ' +
      'does the creator of the calling key. A key that expires creates only keys that expire no later.',
    capability: 'api_keys.create',
    body: CreateApiKeyRequest,
    response: ApiKeyWithSecretResponse,
    redactForReplay: (data) => ({ ...data, api_key: null }),
    successStatus: 201,
    write: { ifMatch: 'none' },
    errors: ['conflict', 'permission_denied'],
  })
  create(@Receive() call: Call<CreateApiKeyRequest>): Promise<Answer> {
    const { name, scopes, environment = 'live', expires_at = null } = call.body;
    const requested = { name, scopes, environment, expiresAt: expires_at === null ? null : new Date(expires_at) };
    return sendAsManager(
      this.commands,
      call,
      (context) => new CreateApiKey(context, requested),
      ({ row, apiKey }) => ({ data: { ...presentApiKey(row, this.clock.now()), api_key: apiKey } }),
    );
  }

  @Post(':keyId/revoke')
  @Operation({
    ...COMMON,
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'Final: within a second no process admits the key. The keys that it created are revoked with it unless ' +
      'revoke_keys is false, except the calling key and those that it created. The caller needs every scope of the ' +
      'key, and a key cannot revoke itself. A revoked key is not changed.',
    capability: 'api_keys.revoke',
    parameters: ApiKeyParameters,
    body: RevokeApiKeyRequest,
    isBodyOptional: true,
    response: RevokedApiKeyResponse,
    write: { ifMatch: 'none' },
    errors: ['conflict', 'permission_denied'],
  })
  revoke(@Receive() call: RevokeCall): Promise<Answer> {
    const { revoke_keys: withCreatedKeys = true } = call.body;
    return sendAsManager(
      this.commands,
      call,
      (context) => new RevokeApiKey(context, call.parameters.keyId, withCreatedKeys),
      ({ row, withIt }) => ({
        data: {
          ...presentApiKey(row, this.clock.now()),
          revoked_keys: withIt.map(({ key_id: id, name }) => ({ id, name })),
        },
      }),
    );
  }
}

function presentApiKey(row: ApiKeyRow, now: Date): ApiKeyResponse {
  const { key_id, name, environment, scopes, prefix, last_four, expires_at, revoked_at, created_at } = row;
  const { made_by_type, made_by_id, made_by_name } = row;
  const isExpired = expires_at !== null && expires_at <= now;
  return {
    id: key_id,
    name,
    environment,
    scopes,
    status: revoked_at !== null ? 'revoked' : isExpired ? 'expired' : 'active',
    prefix,
    last_four,
    expires_at: expires_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    made_by: made_by_type === null ? null : { type: made_by_type, id: made_by_id!, name: made_by_name },
  };
}

/** API keys. Operators create and revoke them on the command line, administrators over the API. */
export const apiKeyResource = defineResource({
  area: 'integration',
  aggregates: [apiKeyAggregate],
  projections: [apiKeyProjection],
  schema: API_KEYS_SCHEMA,
  migrations: [MAKERS_MIGRATION],
  controllers: [ApiKeyController],
  handlers: [CreateApiKeyHandler, RevokeApiKeyHandler],
});
