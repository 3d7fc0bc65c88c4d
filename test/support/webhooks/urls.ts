/** Public addresses that no test ever reaches. */
export const PUBLIC_IPV4 = '93.184.216.34';
export const PUBLIC_IPV6 = '2606:2800:220:1:248:1893:25c8:1946';

const ADDRESSES: Readonly<Record<string, readonly string[] | null>> = {
  'both.hooks.example': [PUBLIC_IPV4, PUBLIC_IPV6],
  'sub_domain.hooks.example': [PUBLIC_IPV6],
  'loopback.hooks.example': ['127.0.0.1'],
  'loopback-six.hooks.example': ['::1'],
  'private.hooks.example': ['10.0.0.1'],
  'shared.hooks.example': ['100.64.0.1'],
  'nowhere.hooks.example': ['0.0.0.0'],
  'metadata.hooks.example': ['169.254.169.254'],
  'metadata-six.hooks.example': ['fd00:ec2::254'],
  'mapped.hooks.example': ['::ffff:127.0.0.1'],
  'nat64.hooks.example': ['64:ff9b::7f00:1'],
  'sixtofour.hooks.example': ['2002:7f00:1::1'],
  'one-private.hooks.example': [PUBLIC_IPV4, '127.0.0.1'],
  'one-private-six.hooks.example': [PUBLIC_IPV4, PUBLIC_IPV6, '::1'],
  'private-first.hooks.example': ['127.0.0.1', PUBLIC_IPV4],
  'last-private.hooks.example': [...Array.from({ length: 15 }, (_, index) => `93.184.216.${index + 1}`), '192.168.1.1'],
  'empty.hooks.example': [],
  'missing.hooks.example': null,
};

/**
 * Returns the addresses of a name in the lists below; null where it does not resolve. A name that is not
 * listed is public, so that a URL with a bad form is refused for its form.
 */
export function addressesOf(name: string): readonly string[] | null {
  const addresses = ADDRESSES[name];
  return addresses === undefined ? [PUBLIC_IPV4] : addresses;
}

const LOOPBACK_SPELLINGS = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0X7F.1 0x7f.0x0.0x0.0x1 0177.0.0.1 017700000001 0177.0x0.1
  00000177.1 127.255.255.254 0 0.0.0.0 0x0 127.0.0.1. 127。0。0。1 ①②⑦.⓪.⓪.① １２７.0.0.1 127%2e0.0.1 %31%32%37.0.0.1
  127.0.0.1%00.hooks.example [::1] [0:0:0:0:0:0:0:1] [::0001] [::] [::127.0.0.1] [::ffff:127.0.0.1]
  [::ffff:7f00:1] [0:0:0:0:0:FFFF:127.0.0.1] [::ffff:0:127.0.0.1] localhost LOCALHOST localhost.
  localhost.localdomain hooks.localhost ⓛocalhost ｌｏｃａｌｈｏｓｔ local\u00adhost localhost%2elocaldomain
  loopback.hooks.example loopback-six.hooks.example mapped.hooks.example one-private.hooks.example
  one-private-six.hooks.example private-first.hooks.example user@127.0.0.1 hooks.example@127.0.0.1
  hooks.example:443@127.0.0.1 hooks.example\\@127.0.0.1`
  .trim()
  .split(/\s+/);

const PRIVATE_HOSTS = `
  10.0.0.1 10.255.255.255 0xa000001 012.1 172.16.0.1 172.31.255.255 192.168.0.1 0xC0A80001 3232235521 100.64.0.1
  100.127.255.255 169.254.1.1 169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518
  168.63.129.16 100.100.100.200 192.0.0.192 [fd00:ec2::254] [fd20:ce::254] 0.1.2.3 192.0.0.8 192.0.2.1
  192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.250 240.0.0.1 255.255.255.255 [::ffff:8.8.8.8] [::ffff:0:8.8.8.8] [64:ff9b::8.8.8.8]
  [64:ff9b::7f00:1] [64:ff9b:1::1] [2002:7f00:1::] [2002:808:808::1] [2001::1]
  [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:2::1] [2001:10::1] [2001:20::1] [2001:1ff:ffff::1] [2001:db8::1]
  [2620:4f:8000::1] [3ffe::1] [3fff::1] [4000::1] [5f00::1] [1::1] [100::1] [fc00::1] [fd12:3456:789a::1]
  [fe80::1] [fe80::1%25lo] [fe80::1%lo] [fec0::1] [ff02::1] [2606:4700::5efe:7f00:1]
  [2606:4700::200:5efe:10.0.0.1] metadata.google.internal printer.local nas.lan router.home.arpa hooks.invalid
  hooks.test hooks.onion intranet wiki.corp box.home db.private local x.LOCAL private.hooks.example
  shared.hooks.example nowhere.hooks.example metadata.hooks.example metadata-six.hooks.example nat64.hooks.example
  sixtofour.hooks.example last-private.hooks.example empty.hooks.example missing.hooks.example`
  .trim()
  .split(/\s+/);

const BAD_TEXTS = [
  '',
  'https://',
  'https:///',
  'hooks.example',
  '//hooks.example/',
  'https:hooks.example',
  'https:/hooks.example',
  'https:///hooks.example',
  'https:\\\\hooks.example',
  'https://\\hooks.example',
  'http://hooks.example/',
  'HTTP://hooks.example/',
  'http://hooks.example:8443/',
  'http://8.8.8.8/',
  'ws://hooks.example/',
  'ftp://hooks.example/',
  'file:///etc/passwd',
  'gopher://hooks.example:1024/_x',
  'javascript:alert(1)',
  'data:text/plain,x',
  'unix:/var/run/x.sock',
  'https://user@hooks.example/',
  'https://user:word@hooks.example/',
  'https://:word@hooks.example/',
  'https://@hooks.example/',
  'https://:@hooks.example/',
  'https://hooks.example@/',
  'https://hooks.example\\@both.hooks.example/',
  'https://hooks.example#',
  'https://hooks.example/#',
  'https://hooks.example/#part',
  'https://hooks.example/?q#part',
  'https://hooks.example#@both.hooks.example/',
  ' https://hooks.example/',
  'https://hooks.example/ ',
  'https://hooks.example/a b',
  'https://hooks .example/',
  'https://hooks.exa\tmple/',
  'https://hooks.example/\n',
  '\u0000https://hooks.example/',
  'https://hooks.example/\u0000',
  'https://hooks.example/\u007f',
  'https://hooks.example/\u00a0',
  'https://hooks.example/\u200b',
  'https://hooks.\u202eexample/',
  'https://hooks.example/\ud800',
  'https://hooks.example\u3000/',
  '\ufeffhttps://hooks.example/',
  'https://hooks.example:0/',
  'https://hooks.example:22/',
  'https://hooks.example:25/',
  'https://hooks.example:80/',
  'https://hooks.example:444/',
  'https://hooks.example:1023/',
  'https://hooks.example:65536/',
  'https://hooks.example:-1/',
  'https://hooks.example:https/',
  'https://8.8.8.8:80/',
  'https://hooks.example./',
  'https://hooks.example.:443/',
  'https://hooks.example.:/',
  'https://hooks.example。/',
  'https://8.8.8.8./',
  'https://8.8.8.8.:8443/',
  'https://hooks..example/',
  'https://.hooks.example/',
  'https://-hooks.example/',
  'https://hooks-.example/',
  'https://hooks!.example/',
  'https://*.hooks.example/',
  'https://hooks,example/',
  'https://hooks.example;x/',
  'https://[::1/',
  'https://::1/',
  'https://[hooks.example]/',
  'https://[::1].hooks.example/',
  'https://1.2.3.4.5/',
  'https://256.256.256.256/',
  'https://0x100000000/',
  'https://hooks.0x1/',
  'https://08.8.8.8/',
  'https://hooks%2eexample/',
  'https://%68ooks.example/',
  'https://8%2e8.8.8/',
  'https://hooks%00.example/',
  'https://hooks%2fexample/',
  'https://hooks%23.example/',
  'https://xn--/',
  'https://xn--a/',
  'https://xn--bcher-kva1.example/',
  'https://ｈooks.example/',
  'https://hooks.ex\u00adample/',
  'https://p\u0430ypal.example/',
  'https://xn--pypal-4ve.example/',
  'https://g\u03bfogle.example/',
];

const LONG_TEXTS = [
  `https://hooks.example/${'a'.repeat(2_048)}`,
  `https://${'a'.repeat(64)}.example/`,
  `https://${'a.'.repeat(125)}example/`,
];

/** Returns URLs that no endpoint may have. `port`: where the test listens on loopback addresses. */
export function hostileUrls(port: number): readonly string[] {
  const atPort = [...LOOPBACK_SPELLINGS, ...PRIVATE_HOSTS].map((host) => `https://${host}:${port}/`);
  return [...atPort, ...PRIVATE_HOSTS.map((host) => `https://${host}/`), ...BAD_TEXTS, ...LONG_TEXTS];
}

/** URLs that an endpoint may have, each with the first address to which it resolves. */
export const GOOD_URLS: readonly (readonly [string, string])[] = [
  ['https://hooks.example', PUBLIC_IPV4],
  ['https://hooks.example/in?organisation=1&to=a@b', PUBLIC_IPV4],
  ['https://hooks.example/@team/%20%2F', PUBLIC_IPV4],
  ['https://hooks.example:443/', PUBLIC_IPV4],
  ['https://hooks.example:8443/', PUBLIC_IPV4],
  ['https://hooks.example:1024/', PUBLIC_IPV4],
  ['https://hooks.example:65535/', PUBLIC_IPV4],
  ['HTTPS://HOOKS.EXAMPLE/', PUBLIC_IPV4],
  ['https://both.hooks.example/', PUBLIC_IPV4],
  ['https://sub_domain.hooks.example/', PUBLIC_IPV6],
  ['https://bücher.example/', PUBLIC_IPV4],
  ['https://xn--bcher-kva.example/', PUBLIC_IPV4],
  ['https://例え.example/', PUBLIC_IPV4],
  ['https://аррӏе.example/', PUBLIC_IPV4],
  [`https://hooks.example/${'a'.repeat(2_026)}`, PUBLIC_IPV4],
  ['https://8.8.8.8/', '8.8.8.8'],
  ['https://0x08080808/', '8.8.8.8'],
  ['https://134744072/', '8.8.8.8'],
  ['https://010.8.2056/', '8.8.8.8'],
  ['https://9.255.255.255/', '9.255.255.255'],
  ['https://11.0.0.0/', '11.0.0.0'],
  ['https://100.63.255.255/', '100.63.255.255'],
  ['https://100.128.0.0/', '100.128.0.0'],
  ['https://126.255.255.255/', '126.255.255.255'],
  ['https://128.0.0.0/', '128.0.0.0'],
  ['https://168.63.129.17/', '168.63.129.17'],
  ['https://169.253.255.255/', '169.253.255.255'],
  ['https://172.15.255.255/', '172.15.255.255'],
  ['https://172.32.0.0/', '172.32.0.0'],
  ['https://192.0.1.0/', '192.0.1.0'],
  ['https://192.169.0.0/', '192.169.0.0'],
  ['https://198.17.255.255/', '198.17.255.255'],
  ['https://198.20.0.0/', '198.20.0.0'],
  ['https://223.255.255.255/', '223.255.255.255'],
  ['https://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
  ['https://[2606:4700:4700:0:0:0:0:1111]:8443/', '2606:4700:4700::1111'],
  ['https://[2001:200::1]/', '2001:200::1'],
  ['https://[2003::1]/', '2003::1'],
  ['https://[2000::1]/', '2000::1'],
];
