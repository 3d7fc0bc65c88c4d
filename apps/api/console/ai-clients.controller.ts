import { Controller, Delete, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { ConnectAiClient, DisconnectAiClient } from '#access/user/administer-ai-clients.js';
import { type AiClient, findAiClient, listAiClients } from '#access/user/ai-clients.js';
import { CLOCK, DATABASE_POOL, PUBLIC_URL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { IdField, TextField } from '#http/fields.js';
import { Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import type { Clock } from '#kernel/clock.js';
import { MCP_PATH } from '#mcp/mcp.controller.js';
import { listedUser, revocable } from './revocable-access.js';

class AiClientRequest {
  /** So that the user recognises it in the list. */
  @TextField({ minimumLength: 1, maximumLength: 100 })
  readonly name!: string;
}

class AiClientParameters {
  @IdField('aiClient')
  readonly clientId!: string;
}

const SESSIONS = { callers: 'sessions', people: { of: 'none' } } as const;

/**
 * The AI clients that read as a user (docs/how-to/connect-an-ai-client.md). Administrators see and
 * disconnect those of all users.
 */
@Controller('console/ai-client-sessions')
export class AiClientsController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PUBLIC_URL) private readonly publicUrl: string | null,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Endpoint({ ...SESSIONS, name: 'listAiClients' })
  async list(@Receive() { key }: Call): Promise<object> {
    const clients = await listAiClients(this.pool, key.organisation.id, listedUser(key), this.clock.now());
    return { data: clients.map(presentClient) };
  }

  @Post()
  @Endpoint({ ...SESSIONS, name: 'connectAiClient', writes: true, body: AiClientRequest })
  connect(@Receive() call: Call<AiClientRequest>): Promise<object> {
    const { body, address } = call;
    return send(
      this.commands,
      call,
      (context) => new ConnectAiClient(context, body.name),
      ({ id, token }) => ({ data: { id, token, url: `${this.publicUrl ?? address()}${MCP_PATH}` } }),
    );
  }

  @Delete(':clientId')
  @HttpCode(204)
  @Endpoint({ ...SESSIONS, name: 'disconnectAiClient', writes: 'under_any_plan', parameters: AiClientParameters })
  async disconnect(@Receive() call: Call<undefined, unknown, AiClientParameters>): Promise<object> {
    const { key, parameters } = call;
    const { id } = revocable(await findAiClient(this.pool, key.organisation.id, parameters.clientId), key);
    return send(this.commands, call, (context) => new DisconnectAiClient(context, id));
  }
}

function presentClient({ id, name, user_id, email, created_at, expires_at }: AiClient): object {
  return {
    id,
    name,
    user: { id: user_id, email },
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}
