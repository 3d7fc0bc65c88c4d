import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, type PagedList, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { PersonParameters } from '../person/person.contract.js';
import { AvatarResponse, AvatarsQuery } from './avatar.contract.js';
import { AvatarLinks } from './avatar-links.js';
import { type AvatarRow, findAvatar, listAvatars } from './avatar.queries.js';

const BY_PERSON: PagedList<{ readonly personId: string }, AvatarRow> = {
  route: 'listAvatars',
  place: { personId: isText },
  placeOf: ({ person_id: personId }) => ({ personId }),
};

@Controller('people')
export class AvatarController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: CursorCodec,
    private readonly links: AvatarLinks,
  ) {}

  @Get('avatars')
  @Operation({
    operationId: 'listAvatars',
    summary: "List the metadata of people's pictures",
    description: 'Each as reading the one of its person returns it, with a link of its own, in the order of the ids of people.',
    tags: ['People'],
    scope: 'people:avatar:read',
    capability: 'people.avatar.list',
    query: AvatarsQuery,
    response: AvatarResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, AvatarsQuery>): Promise<Answer> {
    const { person_ids = null } = call.query;
    const organisationId = call.key.organisation.id;
    const request = { organisationId, filters: { person_ids }, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, BY_PERSON, request, (after, count) =>
      listAvatars(this.pool, organisationId, person_ids?.split(',') ?? null, { after: after?.personId ?? null, count }),
    );
    return { data: await Promise.all(rows.map((row) => this.shown(call, row))), nextCursor };
  }

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
    const avatar = found(await findAvatar(this.pool, call.key.organisation.id, call.parameters.personId));
    return { data: await this.shown(call, avatar) };
  }

  private async shown(call: Pick<Call, 'key' | 'address'>, { picture_id: pictureId, ...shown }: AvatarRow): Promise<object> {
    const place = { organisationId: call.key.organisation.id, personId: shown.person_id, pictureId };
    const link = await this.links.make(place, this.clock.now(), call.address());
    return { ...shown, download_url: link.url, expires_at: link.expiresAt };
  }
}
