import { LRUCache } from 'lru-cache';
import { type Address, type Block, blocks, canonicalAddress, isAllowedAddress, isPublicAddress } from './addresses.js';
import { Resolution, type Resolve, resolveWithSystem } from './resolution.js';
import { type ReadUrl, readUrl } from './url-text.js';

/**
 * The reason for which a URL may not be an endpoint's: worded to follow the field's name, and without
 * addresses.
 */
export class UrlRefusedError extends Error {
  override readonly name = 'UrlRefusedError';

  constructor(readonly issue: string) {
    super(`the URL ${issue}`);
  }
}

/** A URL that may be called now, at one of these addresses only. */
export interface VettedUrl {
  readonly url: URL;
  /** For SNI, Host and the certificate; an IPv6 address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Whether it begins with `http:`, which is valid for allowed addresses only. */
  readonly isPlain: boolean;
  /** At least one, canonical, in the resolver's order. */
  readonly addresses: readonly Address[];
}

/** The address of a receiver. */
export interface Receiver {
  /** A literal address, as in a URL. */
  readonly address: string;
  readonly port: number;
}

export interface UrlGuardSettings {
  /**
   * Blocks in CIDR notation that may be called besides public addresses, at any port and also by `http:`.
   * Empty in production.
   */
  readonly allowedCidrs: readonly string[];
  /**
   * Receivers that this program runs itself: each may be called at its literal address and port, and by
   * `http:`. None by default.
   */
  readonly ownReceivers?: readonly Receiver[];
  /** All addresses of a name; the system's resolver by default. */
  readonly resolve?: Resolve;
  /** The time limit for resolving a name. 5,000 by default. */
  readonly resolveMs?: number;
  /** How long the addresses of a name are cached. 5,000 by default; 0 disables the cache. */
  readonly rememberedMs?: number;
}

const NOT_PUBLIC = 'must lead to public addresses only';
/** The maximum number of cached valid URLs, each of at most 2,048 characters. */
const REMEMBERED_URLS = 1_000;
/** The result of resolving a literal address. */
const NO_LOOK_UP: Awaited<ReturnType<Resolve>> = [];

/** The decision for the addresses of a name, on which alone it depends. */
interface Decision {
  readonly found: Awaited<ReturnType<Resolve>>;
  /** The issue of a refused URL. */
  readonly outcome: VettedUrl | string;
}

/**
 * Decides where webhooks may be sent: one set of rules for creating an endpoint, changing it, and every
 * attempt (contract part 4, webhook URL rules). Public addresses by `https:`; others only if the operator
 * allows them.
 */
export class UrlGuard {
  private readonly allowed: readonly Block[];
  private readonly ownReceivers: readonly Receiver[];
  private readonly resolution: Resolution;
  private readonly known = new LRUCache<string, ReadUrl>({ max: REMEMBERED_URLS });
  private readonly decisions = new WeakMap<ReadUrl, Decision>();

  /** Throws if `allowedCidrs` contains invalid CIDR notation. */
  constructor({
    allowedCidrs,
    ownReceivers = [],
    resolve = resolveWithSystem,
    resolveMs: limitMs = 5_000,
    rememberedMs = 5_000,
  }: UrlGuardSettings) {
    this.allowed = blocks(...allowedCidrs);
    this.ownReceivers = ownReceivers;
    this.resolution = new Resolution({ resolve, limitMs, rememberedMs });
  }

  /**
   * The problem of the text as the URL of an endpoint, worded to follow the field's name; null if there is
   * none. Resolves no name, so {@link vet} may still refuse the URL.
   */
  problemOf(url: string): string | null {
    const read = this.read(url);
    return typeof read === 'string' ? read : null;
  }

  /**
   * Resolves the name once. Throws {@link UrlRefusedError} for the problems of {@link problemOf}, and if any
   * address is not public.
   */
  async vet(url: string): Promise<VettedUrl> {
    const read = this.read(url);
    if (typeof read === 'string') throw new UrlRefusedError(read);
    const found = read.isLiteral ? NO_LOOK_UP : await this.resolution.addressesOf(read.hostname);
    const { outcome } = this.decide(read, found);
    if (typeof outcome === 'string') throw new UrlRefusedError(outcome);
    return outcome;
  }

  /**
   * Decides again only after the name was resolved again: every attempt asks, and most get the same
   * addresses.
   */
  private decide(read: ReadUrl, found: Decision['found']): Decision {
    const before = this.decisions.get(read);
    if (before?.found === found) return before;
    const decision = {
      found,
      outcome: this.outcomeOf(read, read.isLiteral ? [read.hostname] : found.map(({ address }) => address)),
    };
    this.decisions.set(read, decision);
    return decision;
  }

  private outcomeOf(read: ReadUrl, addresses: readonly string[]): VettedUrl | string {
    if (addresses.length === 0) return 'does not resolve';
    const issue = this.problemOfAddresses(read, addresses);
    if (issue !== null) return issue;
    const { url, hostname, port, isPlain } = read;
    return { url, hostname, port, isPlain, addresses: addresses.map(canonicalOf) };
  }

  private read(text: string): ReadUrl | string {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const read = readUrl(text);
    if (typeof read === 'string') return read;
    const issue = read.isLiteral
      ? this.problemOfAddresses(read, [read.hostname])
      : this.allowed.length === 0
        ? read.privateIssue
        : null;
    if (issue !== null) return issue;
    this.known.set(text, read);
    return read;
  }

  /** Accepts a literal address only: a name could later resolve to another address. */
  private isOwnReceiver({ isLiteral, hostname, port }: ReadUrl): boolean {
    return isLiteral && this.ownReceivers.some((receiver) => receiver.address === hostname && receiver.port === port);
  }

  private problemOfAddresses(read: ReadUrl, addresses: readonly string[]): string | null {
    const isAllowed = (address: string): boolean => isAllowedAddress(address, this.allowed) || this.isOwnReceiver(read);
    if (!addresses.every((address) => isPublicAddress(address) || isAllowed(address))) return NOT_PUBLIC;
    return addresses.every(isAllowed) ? null : read.privateIssue;
  }
}

function canonicalOf(text: string): Address {
  const address = canonicalAddress(text);
  if (address === null) throw new TypeError('an address was vetted that is not an address');
  return { address, family: address.includes(':') ? 6 : 4 };
}
