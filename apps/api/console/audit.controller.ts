import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { listActors } from '#audit/activity/list-actors.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { Receive } from '#http/operation.js';

/** Data of the audit screens beyond the operations of the contract (docs/reference/audit.md). */
@Controller('console/audit')
export class AuditController {
  constructor(@Inject(DATABASE_POOL) private readonly pool: Pool) {}

  @Get('actors')
  @Endpoint({ name: 'listActors', callers: 'sessions', scopes: ['audit:read'] })
  async actors(@Receive() { key }: Call): Promise<object> {
    return { data: await listActors(this.pool, key.organisation.id) };
  }
}
