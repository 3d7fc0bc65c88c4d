import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { HttpError } from '#http/errors.js';
import type { Clock } from '#kernel/clock.js';
import { type AvatarLinks, PICTURES_PATH } from './avatar-links.js';
import { findCurrentPicture } from './avatar-pictures.js';

/** The dependencies of serving pictures. */
export interface PictureServing {
  readonly pool: Pool;
  readonly links: AvatarLinks;
  readonly clock: Clock;
}

/**
 * Serves pictures to callers with a valid link. A page can show them without an API key, so the route is not
 * among the operations that GET /metadata lists. An invalid or expired link is 404 like any other unknown
 * path.
 */
export function servePictures(fastify: FastifyInstance, { pool, links, clock }: PictureServing): void {
  fastify.route<{ Params: { token: string } }>({
    method: ['GET', 'HEAD'],
    url: `${PICTURES_PATH}/:token`,
    config: { isPublic: true, hasSignedLink: true },
    handler: async (request, reply) => {
      const place = await links.open(request.params.token, clock.now());
      const picture = place === null ? null : await findCurrentPicture(pool, place);
      if (picture === null) throw new HttpError('not_found');
      return reply
        .header('content-type', picture.contentType)
        .header('content-disposition', 'inline')
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'")
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'private, no-store')
        .send(picture.bytes);
    },
  });
}
