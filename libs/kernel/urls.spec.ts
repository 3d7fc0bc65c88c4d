import { parsedUrl } from './urls.js';

describe('a URL', () => {
  it('is told from other texts, however often it is asked', () => {
    for (let time = 0; time < 20_000; time += 1) {
      if (parsedUrl('https://bücher.example/')?.hostname !== 'xn--bcher-kva.example')
        throw new Error(`not at the ${time}th time`);
    }
    expect(['no URL', '', 'http://', 'https://a b/'].map(parsedUrl)).toEqual([null, null, null, null]);
  });
});
