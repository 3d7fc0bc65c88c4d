import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address that a name resolves to, or that is part of a URL. */
export interface Address {
  /** Canonical: dotted decimal, or IPv6 in the form of RFC 5952. */
  readonly address: string;
  readonly family: 4 | 6;
}

/** A block of addresses, as `ipaddr.js` parses CIDR notation. */
export type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * IPv4 addresses that webhooks may not use: everything in IANA's registry of special-purpose addresses,
 * including anycast and relays, and the metadata addresses of clouds.
 */
const REFUSED_IPV4 = blocks(
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; 100.100.100.200 is Alibaba's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's wire server
  '169.254.0.0/16', // link-local; 169.254.169.254 is most clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; 192.0.0.192 is Oracle's metadata
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112, anycast
  '192.52.193.0/24', // multicast tunnels, anycast
  '192.88.99.0/24', // 6to4 relays, anycast
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112, anycast
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
);

/**
 * The only public IPv6 block, except {@link REFUSED_IPV6}. Mapped, NAT64, unique local and link-local
 * addresses are outside.
 */
const GLOBAL_IPV6 = blocks('2000::/3');

const REFUSED_IPV6 = blocks(
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks, anycast
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112, anycast
  '3ffe::/16', // the 6bone, returned
  '3fff::/20', // documentation
);

/**
 * Addresses from which machines in clouds get their secrets. They stay refused even within a network that the
 * operator allows.
 */
const METADATA = blocks(
  '169.254.169.254/32',
  '169.254.170.2/32',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
);

/**
 * Returns the address in canonical form for comparisons; null for other texts, and for an address with a
 * zone.
 */
export function canonicalAddress(text: string): string | null {
  return isIP(text) === 0 || text.includes('%') ? null : ipaddr.parse(text).toString();
}

/** Whether the address is public and leads to one machine without translation. */
export function isPublicAddress(address: string): boolean {
  if (canonicalAddress(address) === null) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return !isWithin(parsed, REFUSED_IPV4);
  return isWithin(parsed, GLOBAL_IPV6) && !isWithin(parsed, REFUSED_IPV6) && !isIsatap(parsed);
}

/** Whether the address is in one of the blocks and is not a metadata address of a cloud. */
export function isAllowedAddress(address: string, allowed: readonly Block[]): boolean {
  if (canonicalAddress(address) === null) return false;
  const parsed = ipaddr.parse(address);
  return isWithin(parsed, allowed) && !isWithin(parsed, METADATA);
}

/** Parses CIDR notation, such as `127.0.0.0/8`. Throws for other texts. */
export function blocks(...cidrs: readonly string[]): readonly Block[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Block[]): boolean {
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

/**
 * RFC 5214: an interface identifier of `0000:5efe` or `0200:5efe` contains an IPv4 address, in any network.
 */
function isIsatap(address: ipaddr.IPv6): boolean {
  return (address.parts[4]! & ~0x0200) === 0 && address.parts[5] === 0x5efe;
}
