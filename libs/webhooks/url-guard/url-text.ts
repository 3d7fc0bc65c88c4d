import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parsedUrl } from '#kernel/urls.js';

/** A URL whose text is valid, whatever its destination. */
export interface ReadUrl {
  readonly url: URL;
  /** In lower case and punycode; an IPv6 address without its brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Whether it begins with `http:`. */
  readonly isPlain: boolean;
  /** Whether the host is an address and not a name. */
  readonly isLiteral: boolean;
  /** A property that is valid only for addresses that the operator allows; null if there is none. */
  readonly privateIssue: string | null;
}

const MAX_LENGTH = 2_048;
const MAX_NAME_LENGTH = 253;
const MIN_UNPRIVILEGED_PORT = 1_024;
const PORTS: readonly number[] = [443, 8_443];

/** Control characters, white space, and invisible characters, such as marks of text direction. */
const UNSEEN = /[\p{C}\p{Z}]/u;
const BEGINNING = /^https?:\/\/(?![/?#])/i;
const NAME_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Top-level names outside of the public DNS: RFC 2606, 6761, 6762 (appendix G), 7686, 8375, 9476. */
const LOCAL_DOMAINS = [
  'local',
  'localhost',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'invalid',
  'test',
  'onion',
  'alt',
];

/**
 * Parses the text as the URL of an endpoint. It checks the text as written, because a parser silently
 * corrects it, and then the result of the WHATWG parser, because that is the destination.
 * @returns the URL, or its problem, worded to follow the field's name
 */
export function readUrl(text: string): ReadUrl | string {
  const issue = problemOfText(text);
  if (issue !== null) return issue;
  const url = parsedUrl(text);
  if (url === null) return 'must be a valid URL';
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLiteral = isIP(hostname) !== 0;
  const nameIssue = isLiteral ? null : problemOfName(hostname);
  if (nameIssue !== null) return nameIssue;
  if (/\P{ASCII}/u.test(authorityOf(text)) && !hostname.includes('xn--'))
    return 'must write its host without look-alike characters';
  const isPlain = url.protocol === 'http:';
  const port = url.port === '' ? (isPlain ? 80 : 443) : Number(url.port);
  return { url, hostname, port, isPlain, isLiteral, privateIssue: privateIssueOf(hostname, isLiteral, port, isPlain) };
}

function problemOfText(text: string): string | null {
  if (text.length > MAX_LENGTH) return 'must be at most 2,048 characters';
  if (UNSEEN.test(text)) return 'must not contain white space or control characters';
  if (text.includes('\\')) return 'must not contain a backslash';
  if (!BEGINNING.test(text)) return 'must begin with https://';
  if (text.includes('#')) return 'must not contain a fragment';
  const authority = authorityOf(text);
  if (authority.includes('@')) return 'must not contain credentials';
  if (authority.includes('%')) return 'must not escape characters of its host';
  // A name with a trailing dot is the same in DNS but different in certificates.
  if (/\.(?::\d*)?$/.test(authority)) return 'must not end its host with a dot';
  return null;
}

/** The text between `//` and the path or query, as written. */
function authorityOf(text: string): string {
  return text.slice(text.indexOf('//') + 2).split(/[/?]/, 1)[0]!;
}

function problemOfName(hostname: string): string | null {
  const labels = hostname.split('.');
  if (hostname.length > MAX_NAME_LENGTH || !labels.every((label) => NAME_LABEL.test(label)))
    return 'must name its host in the form of DNS';
  const isMixed = labels.some((label) => label.startsWith('xn--') && !isOfOneScript(label));
  return isMixed ? 'must not mix scripts in a label of its host' : null;
}

const SCRIPTS = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Hebrew',
  'Kannada',
  'Khmer',
  'Lao',
  'Latin',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
  'Tibetan',
];
/** Scripts that may be mixed (Unicode Technical Standard 39, "highly restrictive"). */
const SCRIPTS_TOGETHER = [
  ...SCRIPTS.map((script) => [script]),
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];
const OF_ONE_SCRIPT = SCRIPTS_TOGETHER.map(
  (scripts) =>
    new RegExp(`^[${['Common', 'Inherited', ...scripts].map((script) => `\\p{Script=${script}}`).join('')}]+$`, 'u'),
);

function isOfOneScript(label: string): boolean {
  const unicode = domainToUnicode(label);
  return domainToASCII(unicode) === label && unicode !== label && OF_ONE_SCRIPT.some((script) => script.test(unicode));
}

function privateIssueOf(hostname: string, isLiteral: boolean, port: number, isPlain: boolean): string | null {
  if (isPlain) return 'must begin with https://';
  if (port < MIN_UNPRIVILEGED_PORT && !PORTS.includes(port))
    return 'must have port 443, 8443 or one from 1024 to 65535';
  if (isLiteral) return null;
  const isLocal =
    !hostname.includes('.') || LOCAL_DOMAINS.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  return isLocal ? 'must have a public host' : null;
}
