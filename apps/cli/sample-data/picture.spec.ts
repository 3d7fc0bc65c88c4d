import { pictureContent } from '#people/picture/picture-content.js';
import { portrait } from './picture.js';

describe('a made-up portrait', () => {
  it('is a PNG, the same bytes each time and others on another colour', () => {
    expect(pictureContent(portrait(4))).toEqual({ content_type: 'image/png', width_px: 192, height_px: 192 });
    expect(portrait(4)).toEqual(portrait(4));
    expect(portrait(4)).not.toEqual(portrait(5));
  });
});
