import { Meanings } from './printed.js';

describe('what was printed', () => {
  const agrees = (shown: string, printed: string): boolean => new Meanings().agrees(shown, printed);

  it.each([
    ['{"status":"active"}', '{"status":"active"}\n', true],
    ['{"status":"active"}', '{"status":"leaving"}', false],
    ['{"id":"1d4h14kj7caw",…,"end_date":null}', '{"id":"zzzzzzzzzzz1","a":{"b":[1]},"end_date":null}', true],
    ['{"id":"1d4h14kj7caw"}', '{"id":"too-short"}', false],
    ['{"id":"org_ab345678.12345678.123456789012"}', '{"id":"wh_ab345678.12345678.123456789012"}', true],
    ['{"id":"org_ab345678.12345678.123456789012"}', '{"id":"org_ab345678.12345678"}', false],
    ['resource-etag: "v0.AsIq5G849ZgjzXlC"', 'resource-etag: "v12.AAAAAAAAAAAAAAAA"', true],
    ['resource-etag: "v0.AsIq5G849ZgjzXlC"', 'resource-etag: "v12"', false],
    ['at 2026-01-01T00:00:00.000Z', 'at 2027-05-05T12:30:00.123Z', true],
    ['on 2026-01-05', 'on 2026-01-06', false],
    ['one\n…\nfour', 'one\ntwo\nthree\nfour', true],
    ['one\n…\nfour', 'one\nfour', true],
    ['one\n…\nfour', 'one\ntwo', false],
    ['1 event', '2 events', false],
    ['"1d4h14kj7caw" is "1d4h14kj7caw"', '"aaaaaaaaaaa1" is "aaaaaaaaaaa1"', true],
    ['"1d4h14kj7caw" is "1d4h14kj7caw"', '"aaaaaaaaaaa1" is "aaaaaaaaaaa2"', false],
  ])('for %j: %j agrees: %s', (shown, printed, expected) => {
    expect(agrees(shown, printed)).toBe(expected);
  });

  it('says what the next command means', () => {
    const meanings = new Meanings();
    meanings.set('svc_live_…', 'svc_live_KEY');
    expect(meanings.agrees('{"id":"1d4h14kj7caw","tag":"p0.e0.w6vIRVjq"}', '{"id":"zzzzzzzzzzz1","tag":"p1.e2.AAAAAAAA"}')).toBe(true);
    expect(meanings.typed('KEY=svc_live_… ID=1d4h14kj7caw TAG="p0.e0.w6vIRVjq" X=1d4h14kj7cax')).toBe(
      'KEY=svc_live_KEY ID=zzzzzzzzzzz1 TAG="p1.e2.AAAAAAAA" X=1d4h14kj7cax',
    );
    expect(meanings.agrees('{"id":"1d4h14kj7caw"}', '{"id":"zzzzzzzzzzz2"}')).toBe(false);
  });
});
