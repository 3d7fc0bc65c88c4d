import { imageSize } from 'image-size';
import type { PictureType } from './avatar.rules.js';

/** What the bytes of a picture say of it. */
export interface PictureContent {
  readonly content_type: PictureType;
  readonly width_px: number;
  readonly height_px: number;
}

interface Format {
  readonly contentType: PictureType;
  /** What image-size calls it. */
  readonly type: string;
  /** Bytes that every file of the format has, by their place. */
  readonly signature: readonly (readonly [at: number, bytes: Buffer])[];
}

const FORMATS: readonly Format[] = [
  { contentType: 'image/jpeg', type: 'jpg', signature: [[0, Buffer.of(0xff, 0xd8, 0xff)]] },
  { contentType: 'image/png', type: 'png', signature: [[0, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')]] },
  {
    contentType: 'image/webp',
    type: 'webp',
    signature: [
      [0, Buffer.from('RIFF')],
      [8, Buffer.from('WEBP')],
    ],
  },
];

/**
 * Looks into a file, whatever it is called; null where it is no JPEG, PNG or WebP. Only the parser of the format that the
 * first bytes name is given the file: image-size supports many more, and what they make of a hostile file does not matter then.
 */
export function pictureContent(bytes: Buffer): PictureContent | null {
  const format = FORMATS.find(({ signature }) =>
    signature.every(([at, expected]) => bytes.subarray(at, at + expected.length).equals(expected)),
  );
  if (format === undefined) return null;
  const size = sizeOf(bytes);
  if (size === null || size.type !== format.type) return null;
  return { content_type: format.contentType, width_px: size.width, height_px: size.height };
}

/** Null where the header is cut off or makes no sense. */
function sizeOf(bytes: Buffer): ReturnType<typeof imageSize> | null {
  try {
    // A copy with a memory of its own: the library reads past the end of a view, into what happens to lie behind it.
    const size = imageSize(Uint8Array.from(bytes));
    return Number.isInteger(size.width) && Number.isInteger(size.height) ? size : null;
  } catch (error) {
    // What the library throws for a file that it cannot read.
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}
