import { fold } from '#kernel/aggregate.js';
import { type AvatarEvent, decideAvatar, evolveAvatar, initialAvatar } from './avatar.js';
import { MAX_PICTURE_BYTES, type Picture } from './avatar.rules.js';
import { pictureIdOf } from './avatar-pictures.js';

const PICTURE: Picture = { picture_id: 'one', content_type: 'image/png', byte_size: 68, width_px: 64, height_px: 48 };
const SET: AvatarEvent = { type: 'AvatarSet', data: PICTURE };

function when(picture: Partial<Picture>, ...given: readonly AvatarEvent[]) {
  return decideAvatar(
    { type: 'set', picture: { ...PICTURE, ...picture } },
    fold({ initial: initialAvatar, evolve: evolveAvatar }, given),
  );
}

describe('an avatar that is not set', () => {
  it('is set', () => expect(when({})).toEqual({ events: [SET] }));

  it.each<Partial<Picture>>([
    { byte_size: 1 },
    { byte_size: MAX_PICTURE_BYTES },
    { width_px: 1, height_px: 4096 },
    { width_px: 4096, height_px: 1 },
  ])('may be as %j', (fields) => {
    expect(when(fields)).toMatchObject({ events: [{ data: fields }] });
  });

  it.each<[Partial<Picture>, string]>([
    [{ byte_size: 0 }, 'must not be empty'],
    [{ byte_size: MAX_PICTURE_BYTES + 1 }, 'must have at most 2097152 bytes'],
    [{ width_px: 0 }, 'must be a picture of 1 to 4096 pixels each way, not of 0 by 48'],
    [{ height_px: 4097 }, 'must be a picture of 1 to 4096 pixels each way, not of 64 by 4097'],
  ])('is refused as %j', (fields, issue) => {
    expect(when(fields)).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field: 'file', issue }] } });
  });
});

describe('an avatar', () => {
  it('is replaced by another picture, and not recorded again by the same one', () => {
    const other = { ...PICTURE, picture_id: 'other', width_px: 10 };
    expect(when(other, SET)).toEqual({ events: [{ type: 'AvatarSet', data: other }] });
    expect(when({}, SET)).toEqual({ events: [] });
    expect(when({}, SET, { type: 'AvatarSet', data: other })).toEqual({ events: [SET] });
  });
});

it('a removed avatar is removed once, and may be set again', () => {
  const removed: AvatarEvent = { type: 'AvatarRemoved', data: {} };
  const decided = (...given: readonly AvatarEvent[]) =>
    decideAvatar({ type: 'remove' }, fold({ initial: initialAvatar, evolve: evolveAvatar }, given));
  expect(decided(SET)).toEqual({ events: [removed] });
  expect([decided(), decided(SET, removed)]).toEqual([{ events: [] }, { events: [] }]);
  expect(when({}, SET, removed)).toEqual({ events: [SET] });
});

describe('the id of a picture', () => {
  const [key, otherKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

  it('is the same for the same bytes of the same person, and another for any other', () => {
    const ids = [
      pictureIdOf(Buffer.from('a'), key),
      pictureIdOf(Buffer.from('b'), key),
      pictureIdOf(Buffer.from('a'), otherKey),
    ];
    expect(new Set(ids).size).toBe(3);
    expect(pictureIdOf(Buffer.from('a'), key)).toBe(ids[0]);
  });

  it('stays what it always was, because events name it', () => {
    expect(pictureIdOf(Buffer.from('a'), key)).toBe('Tq9dWwPCfopkZQE5Qmx1qC-Uel2LuAQl');
  });
});
