import { crc32 } from 'node:zlib';
import type { PictureType } from './avatar.rules.js';

/** The file is cut off, or has a part that pictures do not have. */
export class BrokenPictureError extends Error {
  constructor() {
    super('the picture is cut off, or contains an invalid part');
    this.name = 'BrokenPictureError';
  }
}

/** EXIF 3.0, tag Orientation: how to turn the stored pixels; 1 for upright ones. */
type Orientation = number;
const UPRIGHT: Orientation = 1;

/**
 * Returns the picture without metadata: places, times, devices and owners (EXIF, XMP, IPTC), comments, texts,
 * thumbnails, and data after its end. The pixels are the same bytes. The colour profile stays, and so does
 * the orientation: the picture would be turned without it. Only parts that are known to be needed stay. A
 * stripped picture is returned unchanged. Throws {@link BrokenPictureError}.
 */
export function withoutMetadata(type: PictureType, bytes: Buffer): Buffer {
  switch (type) {
    case 'image/jpeg':
      return jpegWithoutMetadata(bytes);
    case 'image/png':
      return pngWithoutMetadata(bytes);
    case 'image/webp':
      return webpWithoutMetadata(bytes);
  }
}

/** Returns some bytes. Throws if the file has fewer. */
function bytesAt(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new BrokenPictureError();
  return bytes.subarray(start, start + length);
}

// JPEG (ITU-T T.81, annex B): segments of a marker, a length and data; the header of a scan is followed by
// its data, until the next marker.

const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const EXIF_SEGMENT = 0xe1;
/** Tables, frames, restart intervals, the number of lines: required for decoding. */
const DECODING: ReadonlySet<number> = new Set([
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf],
  ...[START_OF_SCAN, 0xdb, 0xdc, 0xdd, 0xde, 0xdf],
]);
/**
 * Application segments about the interpretation of colours and pixels: by marker, the first bytes of their
 * data.
 */
const MEANING: ReadonlyMap<number, string> = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);
const EXIF_NAME = Buffer.from('Exif\0\0', 'latin1');

function jpegWithoutMetadata(bytes: Buffer): Buffer {
  const retained: Buffer[] = [];
  let orientation = UPRIGHT;
  let at = 2;
  for (;;) {
    if (bytesAt(bytes, at, 2)[0] !== 0xff) throw new BrokenPictureError();
    const marker = bytes[at + 1]!;
    // A marker may follow any number of fill bytes.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END_OF_IMAGE) break;
    const end = at + 2 + Math.max(2, bytesAt(bytes, at + 2, 2).readUInt16BE());
    const segment = bytesAt(bytes, at, end - at);
    at = marker === START_OF_SCAN ? endOfScan(bytes, end) : end;
    if (DECODING.has(marker) || isMeaning(marker, segment.subarray(4))) retained.push(segment, bytes.subarray(end, at));
    else if (marker === EXIF_SEGMENT && startsWith(segment.subarray(4), EXIF_NAME))
      orientation = orientationIn(segment.subarray(10));
  }
  const turned =
    orientation === UPRIGHT ? [] : [jpegSegment(EXIF_SEGMENT, Buffer.concat([EXIF_NAME, exifOf(orientation)]))];
  return Buffer.concat([Buffer.of(0xff, START_OF_IMAGE), ...turned, ...retained, Buffer.of(0xff, END_OF_IMAGE)]);
}

function isMeaning(marker: number, data: Buffer): boolean {
  const name = MEANING.get(marker);
  return name !== undefined && startsWith(data, Buffer.from(name, 'latin1'));
}

/** The position of the next marker that ends the data of a scan: neither an escaped byte nor a restart. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new BrokenPictureError();
}

function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

// PNG (W3C, third edition): a signature, then chunks of a length, a name, data and a checksum.

const PNG_SIGNATURE_BYTES = 8;
/** Besides the mandatory ones: animation, transparency, and the interpretation of colours and pixels. */
const PNG_PARTS: ReadonlySet<string> = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'acTL', 'fcTL', 'fdAT'],
  ...['cHRM', 'cICP', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'mDCV', 'cLLI', 'bKGD', 'pHYs'],
]);

function pngWithoutMetadata(bytes: Buffer): Buffer {
  const retained: Buffer[] = [];
  let orientation = UPRIGHT;
  for (let at = PNG_SIGNATURE_BYTES, name = ''; name !== 'IEND';) {
    const length = bytesAt(bytes, at, 8).readUInt32BE();
    name = bytes.toString('latin1', at + 4, at + 8);
    const chunk = bytesAt(bytes, at, length + 12);
    at += chunk.length;
    if (PNG_PARTS.has(name)) retained.push(chunk);
    else if (name === 'eXIf') orientation = orientationIn(chunk.subarray(8, -4));
    // A capital letter marks a chunk that readers must understand.
    else if (/^[A-Z]/.test(name)) throw new BrokenPictureError();
  }
  const [header, ...others] = retained;
  if (header === undefined) throw new BrokenPictureError();
  const turned = orientation === UPRIGHT ? [] : [pngChunk('eXIf', exifOf(orientation))];
  return Buffer.concat([bytes.subarray(0, PNG_SIGNATURE_BYTES), header, ...turned, ...others]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

// WebP (RFC 9649): a RIFF file of chunks of a name, a length and data, which is padded to an even length.

const WEBP_HEAD_BYTES = 12;
const FRAME_HEAD_BYTES = 16;
const WEBP_PARTS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** Flags of the extended header. */
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;

interface WebpChunk {
  readonly name: string;
  readonly data: Buffer;
}

function webpWithoutMetadata(bytes: Buffer): Buffer {
  const length = bytesAt(bytes, 4, 4).readUInt32LE();
  const chunks = webpChunks(bytesAt(bytes, WEBP_HEAD_BYTES, length - 4));
  const exif = chunks.find(({ name }) => name === 'EXIF')?.data ?? Buffer.alloc(0);
  const found = orientationIn(startsWith(exif, EXIF_NAME) ? exif.subarray(EXIF_NAME.length) : exif);
  // Only a file with the extended header has a place for it.
  const orientation = chunks[0]?.name === 'VP8X' ? found : UPRIGHT;
  const turned = orientation === UPRIGHT ? [] : [{ name: 'EXIF', data: exifOf(orientation) }];
  const retained = chunks.filter(({ name }) => WEBP_PARTS.has(name)).map((chunk) => withoutHidden(chunk, orientation));
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...[...retained, ...turned].map(webpChunk)]);
  return webpChunk({ name: 'RIFF', data: body });
}

function webpChunks(bytes: Buffer): readonly WebpChunk[] {
  const chunks: WebpChunk[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytesAt(bytes, at, 8).readUInt32LE(4);
    chunks.push({ name: bytes.toString('latin1', at, at + 4), data: bytesAt(bytes, at + 8, length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

/** The flags of the extended header list the other chunks; a frame of an animation has chunks of its own. */
function withoutHidden({ name, data }: WebpChunk, orientation: Orientation): WebpChunk {
  if (name === 'VP8X') {
    const flags = bytesAt(data, 0, 1)[0]! & ~(HAS_EXIF | HAS_XMP);
    return {
      name,
      data: Buffer.concat([Buffer.of(orientation === UPRIGHT ? flags : flags | HAS_EXIF), data.subarray(1)]),
    };
  }
  if (name !== 'ANMF') return { name, data };
  const parts = webpChunks(data.subarray(FRAME_HEAD_BYTES)).filter((part) => WEBP_PARTS.has(part.name));
  return { name, data: Buffer.concat([bytesAt(data, 0, FRAME_HEAD_BYTES), ...parts.map(webpChunk)]) };
}

function webpChunk({ name, data }: WebpChunk): Buffer {
  const head = Buffer.from(`${name}0000`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

// EXIF is a TIFF file (revision 6.0): a byte order, the position of a list of entries, and entries of a tag,
// a type, a count and a value.

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;

/** The orientation in EXIF; upright without one. EXIF may be invalid. */
function orientationIn(tiff: Buffer): Orientation {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return UPRIGHT;
  const read = (place: number, bytes: 2 | 4): number =>
    place + bytes > tiff.length ? 0 : order === 'II' ? tiff.readUIntLE(place, bytes) : tiff.readUIntBE(place, bytes);
  const list = read(4, 4);
  for (let index = 0; index < read(list, 2); index += 1) {
    const entry = list + 2 + index * ENTRY_BYTES;
    if (read(entry, 2) !== ORIENTATION_TAG || read(entry + 2, 2) !== SHORT) continue;
    const value = read(entry + 8, 2);
    return value >= 1 && value <= 8 ? value : UPRIGHT;
  }
  return UPRIGHT;
}

/** EXIF with an orientation only. */
function exifOf(orientation: Orientation): Buffer {
  const tiff = Buffer.alloc(8 + 2 + ENTRY_BYTES + 4);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8);
  tiff.writeUInt16LE(ORIENTATION_TAG, 10);
  tiff.writeUInt16LE(SHORT, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.subarray(0, beginning.length).equals(beginning);
}
