import type { FastifyRequest } from 'fastify';
import { addressOf } from './request-headers.js';

const addressWith = (headers: Record<string, string>, localAddress = '127.0.0.1'): string =>
  addressOf({ protocol: 'http', headers, socket: { localAddress, localPort: 3000 } } as unknown as FastifyRequest);

describe('where a request came in', () => {
  it.each(['hr.example', 'hr.example:8080', 'localhost:3000', '10.0.0.1:3000', '[::1]:3000'])(
    'is what its Host header says: %s',
    (host) => {
      expect(addressWith({ host })).toBe(`http://${host}`);
    },
  );

  it.each(['', 'a/b', 'a@b', 'a b', 'a?b', 'a:99999', 'a:b', '[::1', 'a#', '"a"', 'ä.example'])(
    'is the address of the connection where the header is %j',
    (host) => {
      expect(addressWith({ host })).toBe('http://127.0.0.1:3000');
    },
  );

  it('is the address of the connection where there is no header, also with version 6', () => {
    expect(addressWith({}, '::1')).toBe('http://[::1]:3000');
  });

  it('is never what a proxy says of itself', () => {
    expect(
      addressWith({
        host: 'hr.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      }),
    ).toBe('http://hr.example');
  });
});
