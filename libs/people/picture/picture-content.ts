import { imageSize } from 'image-size';
import type { PictureType } from './avatar.rules.js';

/** The type and size that a picture's bytes declare. */
export interface PictureContent {
  readonly content_type: PictureType;
  readonly width_px: number;
  readonly height_px: number;
}

interface Format {
  readonly contentType: PictureType;
  /** The name of the format in image-size. */
  readonly type: string;
  /** Bytes that every file of the format has, with their offsets. */
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
 * Determines type and size from the bytes alone; null if the file is not a JPEG, PNG or WebP. Only the parser
 * of the format that the first bytes indicate reads the file: image-size has parsers for many more formats,
 * and a hostile file must not reach those.
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

/** Null if the header is cut off or invalid. */
function sizeOf(bytes: Buffer): ReturnType<typeof imageSize> | null {
  try {
    // A copy in memory of its own: the library reads past the end of a view, into unrelated memory behind it.
    const size = imageSize(Uint8Array.from(bytes));
    return Number.isInteger(size.width) && Number.isInteger(size.height) ? size : null;
  } catch (error) {
    // The library throws these for an unreadable file.
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}
