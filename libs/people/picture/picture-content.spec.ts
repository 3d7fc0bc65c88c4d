import fc from 'fast-check';
import { jpegPicture, pngPicture, webpPicture } from '../../../test/support/pictures.js';
import { pictureContent } from './picture-content.js';

describe('the content of a picture', () => {
  it.each([
    ['image/png', pngPicture({ width: 64, height: 48 })],
    ['image/jpeg', jpegPicture(64, 48)],
    ['image/webp', webpPicture(64, 48)],
  ])('says that it is %s, and its size', (content_type, bytes) => {
    expect(pictureContent(bytes)).toEqual({ content_type, width_px: 64, height_px: 48 });
  });

  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('not a picture')],
    ['a GIF', Buffer.from('GIF89a\x02\0\x03\0\0\0\0;', 'latin1')],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="3"><script>alert(1)</script></svg>'),
    ],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['another RIFF file', Buffer.from('RIFF\x04\0\0\0WAVEfmt ', 'latin1')],
    ['a PNG after something else', Buffer.concat([Buffer.from(' '), pngPicture()])],
    ['a PNG whose header is cut off', pngPicture().subarray(0, 18)],
    ['a JPEG without a frame', jpegPicture().subarray(0, 20)],
    ['a WebP that ends before its size', webpPicture().subarray(0, 20)],
  ])('is no picture in %s', (_, bytes) => {
    expect(pictureContent(bytes)).toBeNull();
  });

  it('never makes reading it throw or hang, whatever follows a signature', () => {
    const beginning = fc.constantFrom(
      pngPicture().subarray(0, 16),
      Buffer.of(0xff, 0xd8, 0xff, 0xe1),
      webpPicture().subarray(0, 16),
      Buffer.from('RIFF    WEBPVP8L'),
    );
    fc.assert(
      fc.property(beginning, fc.uint8Array({ maxLength: 200 }), (head, tail) => {
        const content = pictureContent(Buffer.concat([head, tail]));
        if (content !== null)
          expect(Number.isInteger(content.width_px) && Number.isInteger(content.height_px)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});
