import { WrittenJson } from '#kernel/json.js';
import { EncodedJson, encodedList } from './encoded-json.js';

const TEXTS = ['{"name":"Ada"}', '{"name":"Zoë"}', '{"name":"Łukasz 😀"}'];

it('has the text that was encoded', () => {
  expect(TEXTS.map((text) => EncodedJson.of(text).text)).toEqual(TEXTS);
});

it('becomes the bytes of a list', () => {
  for (const length of [0, 1, 3]) {
    const texts = TEXTS.slice(0, length);
    const bytes = encodedList(
      '{"data":[',
      texts.map((text) => EncodedJson.of(text)),
      ']}',
    );
    expect(bytes).toEqual(Buffer.from(`{"data":[${texts.join(',')}]}`));
  }
});

it('becomes no list together with values that are not encoded', () => {
  for (const other of [new WrittenJson('{}'), {}, null]) expect(encodedList('[', [EncodedJson.of('{}'), other], ']')).toBeNull();
});
