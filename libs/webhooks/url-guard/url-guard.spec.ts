import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { addressesOf, GOOD_URLS, hostileUrls, PUBLIC_IPV4 } from '../../../test/support/webhooks/urls.js';
import { isPublicAddress } from './addresses.js';
import type { Resolve } from './resolution.js';
import { UrlGuard, UrlRefusedError } from './url-guard.js';

const resolve: Resolve = async (hostname) =>
  (addressesOf(hostname) ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const guard = new UrlGuard({ allowedCidrs: [], resolve });
const ADDRESS = /\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f]*:/;

describe('the URL of an endpoint', () => {
  const hostile = hostileUrls(8_443);
  it.each(hostile.map((url) => [url]))('is not %j', async (url) => {
    const refusal: unknown = await guard.vet(url).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UrlRefusedError);
    expect((refusal as UrlRefusedError).issue).toMatch(/^(?:must|does not) [ -~]{5,80}$/);
    expect((refusal as UrlRefusedError).issue).not.toMatch(ADDRESS);
  });
  it.each(GOOD_URLS)('may be %j', async (url, address) => {
    expect(guard.problemOf(url)).toBeNull();
    expect((await guard.vet(url)).addresses[0]!.address).toBe(address);
  });
  it.each([
    ['https://hooks.example/#', 'must not contain a fragment'],
    ['https://@hooks.example/', 'must not contain credentials'],
    ['https://hooks.example:80/', 'must have port 443, 8443 or one from 1024 to 65535'],
    ['http://hooks.example/', 'must begin with https://'],
    ['https://hooks.local/', 'must have a public host'],
    ['https://127.1/', 'must lead to public addresses only'],
    ['https://private.hooks.example/', 'must lead to public addresses only'],
    ['https://missing.hooks.example/', 'does not resolve'],
  ])('is refused in plain words: %s %s', async (url, issue) => {
    await expect(guard.vet(url)).rejects.toEqual(new UrlRefusedError(issue));
  });
  it('is judged alike however often it is looked at', () => {
    const judged = new Set(Array.from({ length: 50_000 }, () => guard.problemOf('https://b\u00fccher.example/')));
    expect([...judged]).toEqual([null]);
  });
  it('is split into what a connection needs', async () => {
    const { hostname, port, isPlain, addresses } = await guard.vet('https://BÜCHER.example:8443/in');
    expect({ hostname, port, isPlain, addresses }).toEqual({
      hostname: 'xn--bcher-kva.example',
      port: 8_443,
      isPlain: false,
      addresses: [{ address: PUBLIC_IPV4, family: 4 }],
    });
    expect((await guard.vet('https://[2606:4700::1]/')).hostname).toBe('2606:4700::1');
    expect((await guard.vet('https://hooks.example/')).port).toBe(443);
  });
});

describe('where the operator allows addresses', () => {
  const local: Resolve = async (hostname) =>
    hostname === 'localhost'
      ? [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ]
      : resolve(hostname);
  const allowing = new UrlGuard({ allowedCidrs: ['127.0.0.0/8', '::1/128', '169.254.0.0/16'], resolve: local });

  it.each([
    ['http://127.0.0.1/', '127.0.0.1', 80],
    ['http://127.1:81/', '127.0.0.1', 81],
    ['http://[::1]:3000/in', '::1', 3_000],
    ['http://localhost:3000/', '127.0.0.1', 3_000],
    ['https://localhost/', '127.0.0.1', 443],
    ['https://loopback.hooks.example:22/', '127.0.0.1', 22],
    ['https://hooks.example/', PUBLIC_IPV4, 443],
    ['https://one-private.hooks.example/', PUBLIC_IPV4, 443],
  ])('%s may be called', async (url, address, port) => {
    expect(allowing.problemOf(url)).toBeNull();
    const vetted = await allowing.vet(url);
    expect([vetted.addresses[0]!.address, vetted.port, vetted.isPlain]).toEqual([
      address,
      port,
      url.startsWith('http:'),
    ]);
  });
  it.each([
    ['http://hooks.example/', 'must begin with https://'],
    ['http://8.8.8.8/', 'must begin with https://'],
    ['http://one-private.hooks.example/', 'must begin with https://'],
    ['https://hooks.example:22/', 'must have port 443, 8443 or one from 1024 to 65535'],
    ['https://10.0.0.1/', 'must lead to public addresses only'],
    ['http://private.hooks.example/', 'must lead to public addresses only'],
    ['https://[::ffff:127.0.0.1]/', 'must lead to public addresses only'],
    ['http://169.254.169.254/', 'must lead to public addresses only'],
    ['http://metadata.hooks.example/', 'must lead to public addresses only'],
    ['http://user@127.0.0.1/', 'must not contain credentials'],
    ['http://intranet/', 'must begin with https://'],
    ['https://missing.hooks.example/', 'does not resolve'],
  ])('%s is refused still: %s', (url, issue) => expect(allowing.vet(url)).rejects.toEqual(new UrlRefusedError(issue)));
  it.each([
    ['http://127.0.0.1:4567/in', null],
    ['https://127.0.0.1:4567/in', null],
    ['http://127.0.0.1:4568/in', 'must lead to public addresses only'],
    ['http://127.0.0.1/in', 'must lead to public addresses only'],
    ['http://127.0.0.2:4567/in', 'must lead to public addresses only'],
    ['http://[::ffff:127.0.0.1]:4567/in', 'must lead to public addresses only'],
    ['https://localhost:4567/in', 'must have a public host'],
    ['https://loopback.hooks.example:4567/in', 'must lead to public addresses only'],
  ])('of the receiver of the program itself at port 4567: %s %s', async (url, issue) => {
    const guarded = new UrlGuard({
      allowedCidrs: [],
      ownReceivers: [{ address: '127.0.0.1', port: 4_567 }],
      resolve: local,
    });
    expect(
      await guarded.vet(url).then(
        () => null,
        (error: UrlRefusedError) => error.issue,
      ),
    ).toBe(issue);
  });
  it('a local name that leads to a public address is refused', async () => {
    const elsewhere = new UrlGuard({
      allowedCidrs: ['127.0.0.0/8'],
      resolve: async () => [{ address: PUBLIC_IPV4, family: 4 }],
    });
    await expect(elsewhere.vet('https://hooks.local/')).rejects.toEqual(new UrlRefusedError('must have a public host'));
  });
  it.each(['127.0.0.1', '127.0.0.0/33', 'localhost', ''])('%j is no block of addresses', (cidr) => {
    expect(() => new UrlGuard({ allowedCidrs: [cidr] })).toThrow();
  });
});

describe('a look-up', () => {
  it('is made once for concurrent and for following requests', async () => {
    let asked = 0;
    const counting = new UrlGuard({ allowedCidrs: [], resolve: async (hostname) => ((asked += 1), resolve(hostname)) });
    await Promise.all(Array.from({ length: 5 }, () => counting.vet('https://hooks.example/')));
    await counting.vet('https://hooks.example:8443/other');
    expect(asked).toBe(1);
  });
  it('that leads elsewhere is decided anew, whatever was decided before', async () => {
    const answers = [PUBLIC_IPV4, '10.0.0.1', '8.8.8.8'];
    const moving = new UrlGuard({
      allowedCidrs: [],
      rememberedMs: 0,
      resolve: async () => answers.splice(0, 1).map((address) => ({ address, family: 4 })),
    });
    expect((await moving.vet('https://hooks.example/')).addresses).toEqual([{ address: PUBLIC_IPV4, family: 4 }]);
    await expect(moving.vet('https://hooks.example/')).rejects.toEqual(
      new UrlRefusedError('must lead to public addresses only'),
    );
    expect((await moving.vet('https://hooks.example/')).addresses).toEqual([{ address: '8.8.8.8', family: 4 }]);
    await expect(moving.vet('https://hooks.example/')).rejects.toEqual(new UrlRefusedError('does not resolve'));
  });
  it('is made anew every time where nothing is to be remembered', async () => {
    let asked = 0;
    const counting = new UrlGuard({
      allowedCidrs: [],
      rememberedMs: 0,
      resolve: async (hostname) => ((asked += 1), resolve(hostname)),
    });
    await counting.vet('https://hooks.example/');
    await counting.vet('https://hooks.example/');
    expect(asked).toBe(2);
  });
  it('that takes too long is one without an answer, and is not begun again while it runs', async () => {
    let asked = 0;
    let answer = (_: Awaited<ReturnType<Resolve>>): void => undefined;
    const slow = new UrlGuard({
      allowedCidrs: [],
      resolveMs: 5,
      resolve: () => ((asked += 1), new Promise((resolved) => (answer = resolved))),
    });
    await expect(slow.vet('https://hooks.example/')).rejects.toEqual(new UrlRefusedError('does not resolve'));
    await expect(slow.vet('https://hooks.example/')).rejects.toEqual(new UrlRefusedError('does not resolve'));
    expect(asked).toBe(1);
    answer([{ address: PUBLIC_IPV4, family: 4 }]);
    expect((await slow.vet('https://hooks.example/')).addresses).toHaveLength(1);
  });
  it('goes through the files of the machine', async () => {
    const allowing = new UrlGuard({ allowedCidrs: ['127.0.0.0/8', '::1/128'] });
    const addresses = (await allowing.vet('http://localhost:3000/')).addresses.map(({ address }) => address);
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((address) => address !== '127.0.0.1' && address !== '::1')).toEqual([]);
  });
  it('that answers with something other than an address is refused', async () => {
    for (const address of ['hooks.example', 'fe80::1%eth0', '1.2.3', '']) {
      const odd = new UrlGuard({ allowedCidrs: ['::/0', '0.0.0.0/0'], resolve: async () => [{ address, family: 4 }] });
      await expect(odd.vet('https://hooks.example/')).rejects.toEqual(
        new UrlRefusedError('must lead to public addresses only'),
      );
    }
  });
});

describe('any address', () => {
  const spellings: readonly ((octets: readonly number[]) => string)[] = [
    (octets) => octets.join('.'),
    (octets) => String(numberOf(octets)),
    (octets) => `0x${numberOf(octets).toString(16)}`,
    (octets) => `0${numberOf(octets).toString(8)}`,
    (octets) => octets.map((octet) => `0${octet.toString(8)}`).join('.'),
    (octets) => octets.map((octet) => `0X${octet.toString(16)}`).join('.'),
    ([first, ...rest]) => `${first}.${numberOf([0, ...rest])}`,
  ];
  const OCTETS = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
  const GROUPS = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });

  it('of IPv4 is judged alike in all its spellings, and never public where ipaddr.js says it is special', () => {
    fc.assert(
      fc.property(OCTETS, (octets) => {
        const isPublic = isPublicAddress(octets.join('.'));
        expect(spellings.map((spell) => guard.problemOf(`https://${spell(octets)}/`) === null)).toEqual(
          spellings.map(() => isPublic),
        );
        if (isPublic) expect(ipaddr.IPv4.parse(octets.join('.')).range()).toBe('unicast');
      }),
      { numRuns: 2_000 },
    );
  });
  it('of IPv4 that is mapped, compatible or translated into IPv6 is refused', () => {
    fc.assert(
      fc.property(
        OCTETS,
        fc.constantFrom(
          '::',
          '::ffff:',
          '::ffff:0:',
          '64:ff9b::',
          '64:ff9b:1::',
          '2606:4700::5efe:',
          '2606:4700::200:5efe:',
        ),
        (octets, prefix) => {
          expect(guard.problemOf(`https://[${prefix}${octets.join('.')}]/`)).not.toBeNull();
        },
      ),
    );
  });
  it('of IPv6 is public only in 2000::/3, and never where ipaddr.js says it is special', () => {
    fc.assert(
      fc.property(GROUPS, fc.boolean(), (groups, isGlobal) => {
        const parts = isGlobal ? [0x2000 | (groups[0]! & 0x1fff), ...groups.slice(1)] : groups;
        const address = new ipaddr.IPv6(parts);
        if (isPublicAddress(address.toString())) expect([parts[0]! >> 13, address.range()]).toEqual([1, 'unicast']);
      }),
      { numRuns: 5_000 },
    );
  });
});

function numberOf(octets: readonly number[]): number {
  return octets.reduce((number, octet) => number * 256 + octet, 0);
}
