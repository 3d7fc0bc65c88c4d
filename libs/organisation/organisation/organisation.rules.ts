import { isSandboxTenant, SANDBOX_TENANT_PREFIX } from '#identifiers/sandbox-tenant.js';
import { choice, defineFields, name, orNull, text, type ValuesOf } from '#kernel/field-list.js';
import { invalid, type Rejection } from '#kernel/rejection.js';
import { PLANS } from '#kernel/tenancy.js';
import { parsedUrl } from '#kernel/urls.js';
import { COUNTRY_CODES } from '../country/country-codes.js';

const COLOUR = /^#[0-9a-f]{6}$/i;
const MAX_URL_LENGTH = 2_048;

/**
 * The settable fields of an organisation. Inside an event they are the storage format: never rename or remove
 * one.
 */
export const PROFILE = defineFields({
  name: name({}),
  country_code: text({
    normalise: (code) => code.toUpperCase(),
    problem: (code) => (COUNTRY_CODES.has(code) ? null : 'must be an ISO 3166-1 alpha-2 code, such as GB'),
  }),
  plan: choice(PLANS, {}),
  // An IANA name; it determines the organisation's current day.
  time_zone: text({
    normalise: inUsualCase,
    problem: (zone) => (isTimeZone(zone) ? null : 'must be an IANA time zone, such as Europe/London'),
  }),
  logo_url: orNull(
    text({
      problem: (url) => (isWebAddress(url) ? null : `must be an https address of at most ${MAX_URL_LENGTH} characters`),
    }),
  ),
  primary_color_light: orNull(text({ problem: colourProblem })),
  primary_color_dark: orNull(text({ problem: colourProblem })),
});

export type Profile = ValuesOf<typeof PROFILE.fields>;

/**
 * The subdomain of the platform's own organisation. Test keys act for it if their owner has no sandbox of its
 * own.
 */
export const SANDBOX_SUBDOMAIN = 'sandbox';

/** Subdomains of sandbox tenants: see `tenantSubdomain`. */
export const TENANT_SUBDOMAIN = /^sandbox-[0-9a-f]{30}$/;

/** A DNS label: RFC 1035, section 2.3.1, with a leading digit as RFC 1123, section 2.1, allows. */
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Refuses a subdomain that is not a DNS label. */
export function subdomainProblem(subdomain: string): Rejection | null {
  if (SUBDOMAIN.test(subdomain)) return null;
  return invalid(
    'subdomain',
    'must be 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends',
  );
}

function colourProblem(colour: string): string | null {
  return COLOUR.test(colour) ? null : 'must be a colour as #rrggbb';
}

/**
 * Whether the runtime has a zone of this name. Offsets such as `+01:00`, which newer runtimes accept as well,
 * are not names.
 */
function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Corrects the case of a zone's name; an alias (`Europe/Kyiv`) stays, because runtimes differ in which name
 * they prefer.
 */
function inUsualCase(timeZone: string): string {
  if (!isTimeZone(timeZone)) return timeZone;
  const preferred = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  return preferred.toLowerCase() === timeZone.toLowerCase() ? preferred : timeZone;
}

function isWebAddress(url: string): boolean {
  // The parser drops white space and line breaks, so the parsed address could differ from the text.
  return url.length <= MAX_URL_LENGTH && !/[\p{C}\p{Z}]/u.test(url) && parsedUrl(url)?.protocol === 'https:';
}

/**
 * The subdomain of a sandbox tenant, under which operators may name it: it is in hexadecimal, because a DNS
 * label does not distinguish capitals.
 */
export function tenantSubdomain(tenantId: string): string {
  const random = tenantId.slice(SANDBOX_TENANT_PREFIX.length).split('.');
  return `${SANDBOX_SUBDOMAIN}-${Buffer.from(random.join(''), 'base64url').toString('hex')}`;
}

/** The subdomain in responses; it is the same for all sandbox tenants. */
export function publicSubdomain(organisationId: string, subdomain: string): string {
  return isSandboxTenant(organisationId) ? SANDBOX_SUBDOMAIN : subdomain;
}
