import { domainToASCII } from 'node:url';

/** The local part of the HTML standard's address form; ASCII only. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** RFC 5321, section 4.5.3.1: 64 octets before the at sign, and 254 in the whole address. */
const [MAX_LOCAL_PART_LENGTH, MAX_ADDRESS_LENGTH] = [64, 254];
/** Labels of letters, digits and hyphens, with at least one dot. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** The same in any script. The excluded characters would end a host or be removed by its normalisation. */
const INTERNATIONAL_DOMAIN = /^(?:[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(?:\.|$))+$/u;
const ASCII = /^[ -~]*$/;

/**
 * The pattern of an address for clients (ECMA-262). It accepts every valid address, and some texts that the
 * service refuses.
 */
export const EMAIL_ADDRESS_PATTERN = String.raw`^[^@\s]{1,64}@[^@\s]+\.[^@\s]+$`;

/** Whether the text is an e-mail address. Its domain may be written in any script (IDNA). */
export function isEmailAddress(text: string): boolean {
  const [local, domain] = partsOf(text);
  if (local.length > MAX_LOCAL_PART_LENGTH || !LOCAL_PART.test(local)) return false;
  const ascii = asciiDomain(domain);
  return DOMAIN.test(ascii) && local.length + 1 + ascii.length <= MAX_ADDRESS_LENGTH;
}

/**
 * Returns the form in which addresses are compared: in lower case, with the domain in ASCII (IDNA), so that
 * `müller.example` and `xn--mller-kva.example` are equal. This is a storage format. Other texts are only
 * converted to lower case.
 */
export function emailKey(address: string): string {
  if (ASCII.test(address)) return address.toLowerCase();
  const [local, domain] = partsOf(address);
  const ascii = asciiDomain(domain);
  return (ascii === '' ? address : `${local}@${ascii}`).toLowerCase();
}

function partsOf(text: string): readonly [local: string, domain: string] {
  const at = text.lastIndexOf('@');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the domain in ASCII (IDNA); empty if there is none. */
function asciiDomain(domain: string): string {
  if (ASCII.test(domain)) return domain;
  return INTERNATIONAL_DOMAIN.test(domain) ? domainToASCII(domain) : '';
}
