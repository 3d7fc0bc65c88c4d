import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { PersonParameters } from '../person/person.contract.js';
import { AvatarResponse } from './avatar.contract.js';
import { AvatarLinks } from './avatar-links.js';
import { findAvatar } from './avatar.queries.js';

@Controller('people')
export class AvatarController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly links: AvatarLinks,
  ) {}

  @Get(':personId/avatar')
  @Operation({
    operationId: 'getAvatar',
    summary: "Read the metadata of a person's picture",
    description:
      'Includes a link that shows the picture for a short time. 404 where the person has none. Pictures are managed in the product settings, never through the API.',
    tags: ['People'],
    scope: 'people:avatar:read',
    capability: 'people.avatar.read',
    parameters: PersonParameters,
    response: AvatarResponse,
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const { personId } = call.parameters;
    const avatar = found(await findAvatar(this.pool, organisationId, personId));
    const { picture_id: pictureId, ...shown } = avatar;
    const link = await this.links.make({ organisationId, personId, pictureId }, this.clock.now(), call.address());
    return { data: { ...shown, download_url: link.url, expires_at: link.expiresAt } };
  }
}
