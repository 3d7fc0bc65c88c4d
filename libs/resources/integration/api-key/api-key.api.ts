import { Controller, Get, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { byCreation, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { ResourceServices } from '../../services/resource-services.js';
import { sendAsManager } from '../access/send-as-manager.js';
import {
  ApiKeyParameters,
  ApiKeyResponse,
  ApiKeysQuery,
  ApiKeyWithSecretResponse,
  CreateApiKeyRequest,
  RevokeApiKeyRequest,
  RevokedApiKeyResponse,
} from './api-key.contract.js';
import { CreateApiKey, RevokeApiKey } from './api-key.handlers.js';
import { type ApiKeyRow, listApiKeyPage } from './api-key.queries.js';

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
      'In the order of creation, with expired and revoked ones, and who made each. Of a key only its last four characters are shown.',
    capability: 'api_keys.list',
    query: ApiKeysQuery,
    response: ApiKeyResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, ApiKeysQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byCreation('listApiKeys'),
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
      'Only this response shows the key; a replay shows null. The caller needs every scope that it gives, and so does who made the key that calls. A key that expires makes only keys that expire no later.',
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
    const wanted = { name, scopes, environment, expiresAt: expires_at === null ? null : new Date(expires_at) };
    return sendAsManager(
      this.commands,
      call,
      (context) => new CreateApiKey(context, wanted),
      ({ row, apiKey }) => ({ data: { ...presentApiKey(row, this.clock.now()), api_key: apiKey } }),
    );
  }

  @Post(':keyId/revoke')
  @Operation({
    ...COMMON,
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'Final: within a second no process admits the key. The keys that it made are revoked with it unless revoke_keys is false, except the key that calls and those that it made. The caller needs every scope of the key, and a key cannot revoke itself. A revoked key stays as it is.',
    capability: 'api_keys.revoke',
    parameters: ApiKeyParameters,
    body: RevokeApiKeyRequest,
    isBodyOptional: true,
    response: RevokedApiKeyResponse,
    write: { ifMatch: 'none' },
    errors: ['conflict', 'permission_denied'],
  })
  revoke(@Receive() call: RevokeCall): Promise<Answer> {
    const { revoke_keys: withMade = true } = call.body;
    return sendAsManager(
      this.commands,
      call,
      (context) => new RevokeApiKey(context, call.parameters.keyId, withMade),
      ({ row, withIt }) => ({
        data: { ...presentApiKey(row, this.clock.now()), revoked_keys: withIt.map(({ key_id: id, name }) => ({ id, name })) },
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

/** The controller of API keys, for the resource. */
export const API_KEY_CONTROLLERS = [ApiKeyController];
