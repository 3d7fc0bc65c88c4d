import type { CommandContext } from '#commands/command-context.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import { type CommandServices, execute } from '#commands/execute.js';
import { underAdvisoryLock } from '#commands/locks/advisory-locks.js';
import { requirePersonKey } from '../person/person-keys.js';
import { avatarAggregate, decideAvatar, initialAvatar } from './avatar.decider.js';
import { byteSizeRejection, type Picture } from './avatar.rules.js';
import { forgetOtherPictures, keepPicture, pictureIdOf } from './avatar-pictures.js';
import { pictureContent } from './picture-content.js';

/** The picture, and whether it differs from the previous one. */
export interface SetAvatar {
  readonly picture: Picture;
  readonly changed: boolean;
}

/**
 * Makes these bytes a person's picture. They are stored before the event that names them, so that every recorded picture can be shown. A
 * command that fails in between leaves bytes that no response shows; the next command deletes them. Throws {@link RejectedError}: no such
 * person, erased personal data, bytes that are not a valid picture.
 */
export async function setAvatar(services: CommandServices, context: CommandContext, personId: string, bytes: Buffer): Promise<SetAvatar> {
  const { organisationId } = context;
  const key = await requirePersonKey(services.executor, organisationId, personId);
  const picture = pictureOf(bytes, key);
  const decision = decideAvatar({ type: 'set', picture }, initialAvatar);
  if ('rejection' in decision) throw new RejectedError(decision.rejection);
  const stream = avatarAggregate.streamOf(organisationId, personId);
  // The lock keeps the deletion of replaced bytes away from the bytes of a command that has not recorded them yet. Its name differs from
  // the stream's, because appends to the stream wait for a lock of that name.
  return underAdvisoryLock(services.executor, `picture of ${stream}`, async () => {
    const place = { organisationId, personId, pictureId: picture.picture_id };
    await keepPicture(services.executor, place, bytes, key);
    const { outcome } = await execute(services, context, avatarAggregate, personId, {
      decide: (state) => decideAvatar({ type: 'set', picture }, state),
    });
    await forgetOtherPictures(services.executor, place);
    return { picture, changed: outcome !== 'unchanged' };
  });
}

function pictureOf(bytes: Buffer, key: Buffer): Picture {
  const rejection = byteSizeRejection(bytes.length);
  if (rejection !== null) throw new RejectedError(rejection);
  const content = pictureContent(bytes);
  if (content === null) throw new RejectedError(invalid('file', 'must be a JPEG, PNG or WebP picture, whatever it is called'));
  return {
    picture_id: pictureIdOf(bytes, key),
    content_type: content.content_type,
    byte_size: bytes.length,
    width_px: content.width_px,
    height_px: content.height_px,
  };
}
