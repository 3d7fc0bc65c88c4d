import type { CommandContext } from '#commands/command-context.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { requirePersonKey } from '../person/person-keys.js';
import { avatarAggregate, decideAvatar } from './avatar.decider.js';
import { byteSizeRejection, type Picture, type PictureType } from './avatar.rules.js';
import { forgetOtherPictures, keepPicture, pictureIdOf } from './avatar-pictures.js';
import { pictureContent } from './picture-content.js';
import { BrokenPictureError, withoutMetadata } from './picture-metadata.js';

/** The picture, and whether it differs from the previous one. */
export interface AvatarSet {
  readonly picture: Picture;
  readonly changed: boolean;
}

/**
 * Makes these bytes a person's picture, without their metadata. They are stored before the event that names them, so that every recorded picture can be shown. A
 * command that fails in between leaves bytes that no response shows; the next command deletes them. Throws {@link RejectedError}: no such
 * person, erased personal data, bytes that are not a valid picture.
 */
export function setAvatar(services: CommandServices, context: CommandContext, personId: string, file: Buffer): Promise<AvatarSet> {
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    const key = await requirePersonKey(services.executor, organisationId, personId);
    const { picture, bytes } = pictureOf(file, key);
    // The lock keeps the deletion of replaced bytes away from the bytes of a command that has not recorded them yet.
    await within.unit.hold({ exclusive: [`picture of ${avatarAggregate.streamOf(organisationId, personId)}`] });
    const place = { organisationId, personId, pictureId: picture.picture_id };
    const { outcome } = await execute(services, within, avatarAggregate, personId, {
      decide: (state) => decideAvatar({ type: 'set', picture }, state),
    });
    await keepPicture(services.executor, place, bytes, key);
    within.unit.write((connection) => forgetOtherPictures(connection, place));
    return () => ({ picture, changed: outcome !== 'unchanged' });
  });
}

function pictureOf(file: Buffer, key: Buffer): { readonly picture: Picture; readonly bytes: Buffer } {
  const rejection = byteSizeRejection(file.length);
  if (rejection !== null) throw new RejectedError(rejection);
  const content = pictureContent(file);
  if (content === null) throw new RejectedError(invalid('file', 'must be a JPEG, PNG or WebP picture, whatever it is called'));
  const bytes = cleaned(content.content_type, file);
  const { content_type, width_px, height_px } = content;
  return { picture: { picture_id: pictureIdOf(bytes, key), content_type, byte_size: bytes.length, width_px, height_px }, bytes };
}

function cleaned(type: PictureType, file: Buffer): Buffer {
  try {
    return withoutMetadata(type, file);
  } catch (error) {
    if (!(error instanceof BrokenPictureError)) throw error;
    throw new RejectedError(invalid('file', 'must be a whole picture, and this one is cut off or damaged'));
  }
}
