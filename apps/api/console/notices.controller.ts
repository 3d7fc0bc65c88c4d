import { Controller, Get, HttpCode, Inject, Post, UseGuards } from '@nestjs/common';
import type { Pool } from 'pg';
import { listNotices, markNoticesRead, type NoticeReader } from '#access/user/notices.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField } from '#http/errors.js';
import { Receive } from '#http/operation.js';
import { AdministratorsOnly } from './administrators-only.js';

/** The maximum number of notices: one per active endpoint, and those of endpoints disabled earlier. */
const MAX_IDS = 1_000;

/**
 * The notices that administrators see in the console (contract part 3: an in-app notification to the
 * administrators of the tenant). Other roles get 403.
 */
@Controller('console/notices')
@UseGuards(new AdministratorsOnly('read the notices of the organisation'))
export class NoticesController {
  constructor(@Inject(DATABASE_POOL) private readonly pool: Pool) {}

  @Get()
  @Endpoint({ name: 'listNotices', callers: 'sessions' })
  async list(@Receive() call: Call): Promise<object> {
    const notices = await listNotices(this.pool, readerOf(call));
    const data = notices.map(({ id, webhook_id, name, reason, since, is_read }) => ({
      id,
      webhook: { id: webhook_id, name },
      reason,
      since: since.toISOString(),
      is_read,
    }));
    return { data };
  }

  @Post('read')
  @HttpCode(204)
  @Endpoint({ name: 'markNoticesRead', callers: 'sessions' })
  async markRead(@Receive() call: Call<unknown>): Promise<void> {
    const ids = (call.body as { ids?: unknown } | null | undefined)?.ids;
    if (!Array.isArray(ids) || ids.length > MAX_IDS || !ids.every((id) => typeof id === 'string'))
      throw invalidField('ids', `must be a list of at most ${MAX_IDS} ids of notices`);
    await markNoticesRead(this.pool, readerOf(call), ids);
  }
}

function readerOf({ key }: Pick<Call, 'key'>): NoticeReader {
  return { organisationId: key.organisation.id, userId: key.keyId };
}
