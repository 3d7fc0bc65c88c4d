import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DateTimeField, EnumField, IdField, IntegerField, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, type PagedList, PageQuery, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { MAX_PAGE_SIZE } from '#kernel/page-size.js';
import { found, invalid, RejectedError } from '#kernel/rejection.js';
import { requirePersonKey } from '../person/person-keys.js';
import { PersonParameters } from '../person/person-reference.js';
import { withSealedFingerprint } from '../person/person-seal.js';
import { AvatarLinks } from './avatar-links.js';
import { forgetOtherPictures, keepPicture, pictureIdOf } from './avatar-pictures.js';
import {
  avatarAggregate,
  avatarProjection,
  type AvatarRow,
  AVATARS_SCHEMA,
  decideAvatar,
  findAvatar,
  listAvatars,
} from './avatar.js';
import {
  byteSizeRejection,
  MAX_PICTURE_BYTES,
  MAX_PICTURE_SIDE,
  type Picture,
  PICTURE_TYPES,
  type PictureType,
} from './avatar.rules.js';
import { pictureContent } from './picture-content.js';
import { PictureController } from './picture.controller.js';
import { BrokenPictureError, withoutMetadata } from './picture-metadata.js';

const MAX_URL_LENGTH = 4_096;
/** The largest page size. */
const MAX_PEOPLE = MAX_PAGE_SIZE;
const MAX_ID_LENGTH = 64;

/** The metadata of a person's picture, and a link to it (contract part 2, "Person avatar metadata"). */
class AvatarResponse {
  @IdField('person', { description: 'Id of the person.' })
  readonly person_id!: string;
  @TextField({
    format: 'uri',
    maximumLength: MAX_URL_LENGTH,
    description:
      'Shows the picture without a key until expires_at. Every response has a new link; treat it as a secret.',
    example: 'https://hr.example.com/api/v1/avatars/q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k',
  })
  readonly download_url!: string;
  @DateTimeField({ description: 'When download_url expires.' })
  readonly expires_at!: string;
  @EnumField(PICTURE_TYPES)
  readonly content_type!: string;
  @IntegerField({ minimum: 1, maximum: MAX_PICTURE_BYTES, example: 48_213 })
  readonly byte_size!: number;
  @IntegerField({ minimum: 1, maximum: MAX_PICTURE_SIDE, nullable: true, example: 512 })
  readonly width_px!: number | null;
  @IntegerField({ minimum: 1, maximum: MAX_PICTURE_SIDE, nullable: true, example: 512 })
  readonly height_px!: number | null;
  @DateTimeField({ description: 'When this picture was set.' })
  readonly updated_at!: string;
}

class AvatarsQuery extends PageQuery {
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_PEOPLE * (MAX_ID_LENGTH + 1),
    optional: true,
    description:
      `Only of these people: at most ${MAX_PEOPLE} ids, with commas between them. Those without ` +
      'a picture are left out.',
    pattern: {
      source: `^[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}(?:,[A-Za-z0-9_-]{1,${MAX_ID_LENGTH}}){0,${MAX_PEOPLE - 1}}$`,
      words: `must be at most ${MAX_PEOPLE} ids of people with commas between them`,
    },
    example: '7k2m9qx4hz1c,x1v8d4xej91w',
  })
  readonly person_ids?: string;
}

/** The picture, and whether it differs from the previous one. */
export interface AvatarSet {
  readonly picture: Picture;
  readonly changed: boolean;
}

/**
 * Sets these bytes as a person's picture, without their metadata. They are stored before the event that names
 * them, so that every recorded picture can be shown. A command that fails in between leaves bytes that no
 * response refers to; the next command deletes them. Throws {@link RejectedError}: no such person, erased
 * personal data, bytes that are not a valid picture.
 */
export function setAvatar(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  file: Buffer,
): Promise<AvatarSet> {
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    const key = await requirePersonKey(services.executor, organisationId, personId);
    const { picture, bytes } = pictureOf(file, key);
    await holdPicture(within, personId);
    const place = { organisationId, personId, pictureId: picture.picture_id };
    const { outcome } = await execute(services, withSealedFingerprint(within, key), avatarAggregate, personId, {
      decide: (state) => decideAvatar({ type: 'set', picture }, state),
    });
    await keepPicture(services.executor, place, bytes, key);
    within.unit.write((connection) => forgetOtherPictures(connection, place));
    return () => ({ picture, changed: outcome !== 'unchanged' });
  });
}

/**
 * Removes a person's picture with its bytes, which cannot be restored. Without a picture it records nothing.
 * Throws {@link RejectedError}: no such person, erased personal data.
 */
export function removeAvatar(services: CommandServices, context: CommandContext, personId: string): Promise<void> {
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    await requirePersonKey(services.executor, organisationId, personId);
    await holdPicture(within, personId);
    await execute(services, within, avatarAggregate, personId, {
      decide: (state) => decideAvatar({ type: 'remove' }, state),
    });
    within.unit.write((connection) => forgetOtherPictures(connection, { organisationId, personId, pictureId: null }));
    return () => undefined;
  });
}

/**
 * Prevents the deletion of replaced bytes from deleting those of another command that is not recorded yet.
 */
function holdPicture({ unit, organisationId }: UnitContext, personId: string): Promise<void> {
  return unit.hold({ exclusive: [`picture of ${avatarAggregate.streamOf(organisationId, personId)}`] });
}

function pictureOf(file: Buffer, key: Buffer): { readonly picture: Picture; readonly bytes: Buffer } {
  const rejection = byteSizeRejection(file.length);
  if (rejection !== null) throw new RejectedError(rejection);
  const content = pictureContent(file);
  if (content === null)
    throw new RejectedError(invalid('file', 'must be a JPEG, PNG or WebP picture, whatever its name'));
  const bytes = cleaned(content.content_type, file);
  const { content_type, width_px, height_px } = content;
  return {
    picture: { picture_id: pictureIdOf(bytes, key), content_type, byte_size: bytes.length, width_px, height_px },
    bytes,
  };
}

function cleaned(type: PictureType, file: Buffer): Buffer {
  try {
    return withoutMetadata(type, file);
  } catch (error) {
    if (!(error instanceof BrokenPictureError)) throw error;
    throw new RejectedError(invalid('file', 'must be a complete picture; this one is cut off or damaged'));
  }
}

/** Sets the bytes of a file as a person's picture. */
export class SetAvatar extends Command<AvatarSet> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly file: Buffer,
  ) {
    super();
  }
}

/** Removes a person's picture. */
export class RemoveAvatar extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveAvatar)
class RemoveAvatarHandler implements ICommandHandler<RemoveAvatar> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId }: RemoveAvatar): Promise<void> {
    return removeAvatar(this.services, context, personId);
  }
}

@CommandHandler(SetAvatar)
class SetAvatarHandler implements ICommandHandler<SetAvatar> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, file }: SetAvatar): Promise<AvatarSet> {
    return setAvatar(this.services, context, personId, file);
  }
}

const BY_PERSON: PagedList<{ readonly personId: string }, AvatarRow> = {
  route: 'listAvatars',
  place: { personId: isText },
  placeOf: ({ person_id: personId }) => ({ personId }),
};

@Controller('people')
class AvatarController {
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
    description:
      'Each the same as reading the one of its person, with a link of its own, in the order of the ids of people.',
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
    return { data: await Promise.all(rows.map((row) => this.presentAvatar(call, row))), nextCursor };
  }

  @Get(':personId/avatar')
  @Operation({
    operationId: 'getAvatar',
    summary: "Read the metadata of a person's picture",
    description:
      'Includes a link that shows the picture for a short time. 404 if the person has none. Pictures are managed in ' +
      'the product settings, never through the API.',
    tags: ['People'],
    scope: 'people:avatar:read',
    capability: 'people.avatar.read',
    parameters: PersonParameters,
    response: AvatarResponse,
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const avatar = found(await findAvatar(this.pool, call.key.organisation.id, call.parameters.personId));
    return { data: await this.presentAvatar(call, avatar) };
  }

  private async presentAvatar(
    call: Pick<Call, 'key' | 'address'>,
    { picture_id: pictureId, ...shown }: AvatarRow,
  ): Promise<object> {
    const place = { organisationId: call.key.organisation.id, personId: shown.person_id, pictureId };
    const link = await this.links.make(place, this.clock.now(), call.address());
    return { ...shown, download_url: link.url, expires_at: link.expiresAt };
  }
}

/** Pictures of people. */
export const avatarResource = defineResource({
  area: 'people',
  aggregates: [avatarAggregate],
  projections: [avatarProjection],
  schema: AVATARS_SCHEMA,
  controllers: [AvatarController, PictureController],
  handlers: [SetAvatarHandler, RemoveAvatarHandler],
});
