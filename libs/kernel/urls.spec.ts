import { parsedUrl } from './urls.js';

describe('a URL', () => {
  it('is distinguished from other texts, however often it is parsed', () => {
    for (let time = 0; time < 20_000; time += 1) {
      if (parsedUrl('https://bücher.example/')?.hostname !== 'xn--bcher-kva.example')
        throw new Error(`not at the ${time}th time`);
    }
    expect(['no URL', '', 'http://', 'https://a b/'].map(parsedUrl)).toEqual([null, null, null, null]);
  });
});
