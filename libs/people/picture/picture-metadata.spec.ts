import fc from 'fast-check';
import { chunk, jpegPicture, pngPicture, webpPicture } from '../../../test/support/pictures.js';
import type { PictureType } from './avatar.rules.js';
import { pictureContent } from './picture-content.js';
import { BrokenPictureError, withoutMetadata } from './picture-metadata.js';

const PLACE = '52.5163N 13.3777E';
const TYPES: readonly PictureType[] = ['image/jpeg', 'image/png', 'image/webp'];

/** EXIF in the form of cameras: an orientation, followed by a location. */
function exif(orientation: number, order: 'II' | 'MM' = 'MM'): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write(order, 'latin1');
  const write = (value: number, at: number, bytes: number): number =>
    order === 'II' ? tiff.writeUIntLE(value, at, bytes) : tiff.writeUIntBE(value, at, bytes);
  write(42, 2, 2);
  write(8, 4, 4);
  write(1, 8, 2);
  write(0x0112, 10, 2);
  write(3, 12, 2);
  write(1, 14, 4);
  write(orientation, 18, 2);
  return Buffer.concat([tiff, Buffer.from(`GPS ${PLACE}`)]);
}

function segment(marker: number, data: Buffer | string): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.of(0xff, marker, (bytes.length + 2) >> 8, (bytes.length + 2) & 255), bytes]);
}

/** A JPEG with two scans and the metadata that cameras and programs add. */
function jpeg(orientation: number, order?: 'II' | 'MM'): Buffer {
  const whole = jpegPicture(64, 48);
  const scan = Buffer.concat([segment(0xda, Buffer.of(1, 1, 0, 0, 63, 0)), Buffer.of(1, 0xff, 0, 2, 0xff, 0xd0, 3)]);
  return Buffer.concat([
    whole.subarray(0, 20),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif(orientation, order)])),
    segment(0xe1, `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>${PLACE}`),
    segment(0xed, `Photoshop 3.0\0${PLACE}`),
    segment(0xe2, `MPF\0${PLACE}`),
    segment(0xe0, `JFXX\0${PLACE}`),
    segment(0xfe, PLACE),
    segment(0xe2, 'ICC_PROFILE\0profile of colours'),
    whole.subarray(20, -2),
    Buffer.of(0xff),
    scan,
    segment(0xfe, PLACE),
    segment(0xc4, 'a table'),
    scan,
    Buffer.of(0xff, 0xd9),
    Buffer.from(`a second picture of ${PLACE}`),
  ]);
}

function png(orientation: number, order?: 'II' | 'MM'): Buffer {
  const whole = pngPicture({ width: 64, height: 48, comment: PLACE });
  const header = whole.subarray(0, 33);
  return Buffer.concat([
    header,
    chunk('iCCP', Buffer.from('profile of colours')),
    chunk('eXIf', exif(orientation, order)),
    chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0${PLACE}`)),
    chunk('zTXt', Buffer.from(PLACE)),
    chunk('tIME', Buffer.from(PLACE)),
    chunk('prVt', Buffer.from(PLACE)),
    whole.subarray(33),
    Buffer.from(PLACE),
  ]);
}

function riff(...chunks: readonly (readonly [name: string, data: Buffer | string])[]): Buffer {
  const body = chunks.map(([name, data]) => {
    const bytes = Buffer.from(data);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([Buffer.from(name), length, bytes, Buffer.alloc(bytes.length % 2)]);
  });
  return Buffer.concat(body);
}

function webp(orientation: number, order?: 'II' | 'MM'): Buffer {
  const extended = Buffer.from(webpPicture(64, 48).subarray(20));
  extended[0] = 0x20 | 0x08 | 0x04;
  const frame = Buffer.concat([Buffer.alloc(16), riff(['VP8L', 'frame'], ['XXXX', PLACE])]);
  const body = riff(
    ['VP8X', extended],
    ['ICCP', 'profile of colours'],
    ['ANMF', frame],
    ['EXIF', exif(orientation, order)],
    ['XMP ', PLACE],
    ['XXXX', PLACE],
  );
  return Buffer.concat([riff(['RIFF', Buffer.concat([Buffer.from('WEBP'), body])]), Buffer.from(PLACE)]);
}

const WITH_METADATA = { 'image/jpeg': jpeg, 'image/png': png, 'image/webp': webp };
const PLAIN = {
  'image/jpeg': jpegPicture(64, 48),
  'image/png': pngPicture({ width: 64, height: 48 }),
  'image/webp': webpPicture(64, 48),
};

describe.each(TYPES)('%s', (type) => {
  it('keeps the picture and its profile of colours, and nothing of where, when and by whom it was made', () => {
    for (const orientation of [1, 6]) {
      const clean = withoutMetadata(type, WITH_METADATA[type](orientation));
      expect(pictureContent(clean)).toEqual({ content_type: type, width_px: 64, height_px: 48 });
      expect(clean.toString('latin1')).toContain('profile of colours');
      for (const trace of [PLACE, 'GPS', 'xmp', 'Photoshop', 'MPF']) expect(clean.includes(trace)).toBe(false);
      expect(withoutMetadata(type, clean).equals(clean)).toBe(true);
    }
  });

  it('stays turned as it was, in either order of bytes', () => {
    const upright = withoutMetadata(type, WITH_METADATA[type](1));
    for (const nonsense of [0, 9])
      expect(withoutMetadata(type, WITH_METADATA[type](nonsense)).equals(upright)).toBe(true);
    const turned = withoutMetadata(type, WITH_METADATA[type](6, 'MM'));
    expect(turned.equals(withoutMetadata(type, WITH_METADATA[type](6, 'II')))).toBe(true);
    expect(turned.includes(Buffer.from([0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0]))).toBe(true);
    expect(turned.equals(upright)).toBe(false);
  });

  it('is the same bytes where there was nothing', () => {
    expect(withoutMetadata(type, PLAIN[type]).equals(PLAIN[type])).toBe(true);
  });

  it('is refused where it is cut off, and never makes reading it throw anything else or hang', () => {
    const whole = PLAIN[type];
    expect(() => withoutMetadata(type, whole.subarray(0, -1))).toThrow(BrokenPictureError);
    const bytes = fc.tuple(
      fc.constantFrom(whole, WITH_METADATA[type](6)),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }),
      fc.nat(),
    );
    fc.assert(
      fc.property(bytes, ([from, changes, length]) => {
        const broken = Buffer.from(from.subarray(0, length % (from.length + 1)));
        for (const [at, byte] of changes) if (broken.length > 0) broken[at % broken.length] = byte;
        try {
          expect(withoutMetadata(type, broken)).toBeInstanceOf(Buffer);
        } catch (error) {
          expect(error).toBeInstanceOf(BrokenPictureError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

it('keeps every chunk of pixels of a PNG that a newer one could need, or refuses it', () => {
  const whole = pngPicture();
  const unknown = Buffer.concat([whole.subarray(0, 33), chunk('NEWS', Buffer.alloc(1)), whole.subarray(33)]);
  expect(() => withoutMetadata('image/png', unknown)).toThrow(BrokenPictureError);
});
