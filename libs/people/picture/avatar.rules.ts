import { invalid, type Rejection } from '#kernel/rejection.js';

/** The accepted media types, determined from the bytes (contract part 2, "Person avatar metadata"). */
export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

export const MAX_PICTURE_BYTES = 2_097_152;
/** Of either side, in pixels. */
export const MAX_PICTURE_SIDE = 4_096;

/** The metadata of a picture. */
export type Picture = {
  /** Derived from the bytes and the person's key: see `avatar-pictures.ts`. */
  readonly picture_id: string;
  readonly content_type: PictureType;
  readonly byte_size: number;
  /** Pixels as stored; an orientation in EXIF is not applied. */
  readonly width_px: number;
  readonly height_px: number;
};

/** Refuses empty or too large content, before it is parsed. */
export function byteSizeRejection(bytes: number): Rejection | null {
  if (bytes < 1) return invalid('file', 'must not be empty');
  return bytes > MAX_PICTURE_BYTES ? invalid('file', `must have at most ${MAX_PICTURE_BYTES} bytes`) : null;
}

/** Refuses a picture that is too large or has a side of zero pixels. */
export function pictureRejection({ byte_size: bytes, width_px: width, height_px: height }: Picture): Rejection | null {
  const rejection = byteSizeRejection(bytes);
  if (rejection !== null) return rejection;
  if ([width, height].every((side) => side >= 1 && side <= MAX_PICTURE_SIDE)) return null;
  return invalid('file', `must be a picture of 1 to ${MAX_PICTURE_SIDE} pixels each way, not of ${width} by ${height}`);
}
