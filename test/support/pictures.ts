import { crc32, deflateSync } from 'node:zlib';

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Of a chunk without data. */
const CHUNK_BYTES = 12;

/** What a {@link pngPicture} is to have. */
interface PngParts {
  readonly width?: number;
  readonly height?: number;
  /** A text in its metadata. */
  readonly comment?: string;
  /**
   * A text for its pixels, one character each, stored so that a search in the file finds it; it is as wide as
   * the text then.
   */
  readonly pixels?: string;
  /** Filled up to this size with data of pixels that it does not need. */
  readonly bytes?: number;
}

/** Returns a complete grey PNG. */
export function pngPicture({
  pixels = '',
  width = pixels.length || 2,
  height = pixels === '' ? 3 : 1,
  comment = '',
  bytes = 0,
}: PngParts = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a pixel, grey.
  header.writeUInt8(8, 8);
  const rows = Buffer.alloc((width + 1) * height, 0);
  rows.write(pixels, 1, 'latin1');
  const text = comment === '' ? [] : [chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'))];
  const before = Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    ...text,
    chunk('IDAT', deflateSync(rows, { level: pixels === '' ? 6 : 0 })),
  ]);
  const end = chunk('IEND', Buffer.alloc(0));
  const missing = bytes - before.length - end.length;
  return Buffer.concat([before, ...(missing > 0 ? [chunk('IDAT', Buffer.alloc(missing - CHUNK_BYTES))] : []), end]);
}

/** Returns a JPEG with the segments up to its size: start, JFIF header, frame, end. */
export function jpegPicture(width = 2, height = 3): Buffer {
  const jfif = Buffer.from([0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), jfif, frame, Buffer.from([0xff, 0xd9])]);
}

/** Returns a WebP with an extended header, which has its size, and no picture. */
export function webpPicture(width = 2, height = 3): Buffer {
  const extended = Buffer.alloc(18);
  extended.write('VP8X', 0, 'latin1');
  extended.writeUInt32LE(10, 4);
  extended.writeUIntLE(width - 1, 12, 3);
  extended.writeUIntLE(height - 1, 15, 3);
  const body = Buffer.concat([Buffer.from('WEBP'), extended]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), size, body]);
}

/** A chunk of a PNG. */
export function chunk(name: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
