import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { Endpoint } from '#http/endpoint.js';
import { HttpError } from '#http/errors.js';
import type { Clock } from '#kernel/clock.js';
import { AvatarLinks, PICTURES_PATH } from './avatar-links.js';
import { findCurrentPicture } from './avatar-pictures.js';

/**
 * Pictures for callers with a valid link. A page can show them without an API key, so the route is not among
 * the operations that GET /metadata lists. An invalid or expired link is 404 like any other unknown path.
 */
@Controller(PICTURES_PATH)
export class PictureController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly links: AvatarLinks,
  ) {}

  @Get(':token')
  @Endpoint({ callers: 'public', hasSignedLink: true })
  async read(@Param('token') token: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    const place = await this.links.open(token, this.clock.now());
    const picture = place === null ? null : await findCurrentPicture(this.pool, place);
    if (picture === null) throw new HttpError('not_found');
    reply
      .header('content-type', picture.contentType)
      .header('content-disposition', 'inline')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'")
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'private, no-store');
    return picture.bytes;
  }
}
