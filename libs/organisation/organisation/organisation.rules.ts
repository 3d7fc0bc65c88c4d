import { isSandboxTenant, SANDBOX_TENANT_PREFIX } from '#identifiers/sandbox-tenant.js';
import { nameProblem, normaliseName } from '#kernel/names.js';
import { invalid, type Rejection } from '#kernel/rejection.js';
import { type Plan, PLANS } from '#kernel/tenancy.js';
import { parsedUrl } from '#kernel/urls.js';
import { COUNTRY_CODES } from '../country/country-codes.js';

/** The settable fields of an organisation. Their names are the storage format, like the names of events. */
export type Profile = {
  readonly name: string;
  /** ISO 3166-1 alpha-2. */
  readonly country_code: string;
  readonly plan: Plan;
  /** IANA name; it determines the organisation's present day. */
  readonly time_zone: string;
  readonly logo_url: string | null;
  /** `#rrggbb`. */
  readonly primary_color_light: string | null;
  readonly primary_color_dark: string | null;
};

/**
 * The subdomain of the platform's own organisation. Test keys act for it where their owner has no sandbox of
 * its own.
 */
export const SANDBOX_SUBDOMAIN = 'sandbox';

/** Subdomains of sandbox tenants: see `tenantSubdomain`. */
export const TENANT_SUBDOMAIN = /^sandbox-[0-9a-f]{30}$/;

/** A DNS label: RFC 1035, section 2.3.1, with a leading digit as RFC 1123, section 2.1, allows. */
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const COLOUR = /^#[0-9a-f]{6}$/i;
const MAX_URL_LENGTH = 2_048;

/** Refuses a subdomain that is not a DNS label. */
export function subdomainProblem(subdomain: string): Rejection | null {
  if (SUBDOMAIN.test(subdomain)) return null;
  return invalid(
    'subdomain',
    'must be 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends',
  );
}

/** The profile as it is stored: names trimmed, codes in their usual case. */
export function normaliseProfile(named: Partial<Profile>): Partial<Profile> {
  return {
    ...named,
    ...(named.name === undefined ? {} : { name: normaliseName(named.name) }),
    ...(named.country_code === undefined ? {} : { country_code: named.country_code.toUpperCase() }),
    ...(named.time_zone === undefined ? {} : { time_zone: inUsualCase(named.time_zone) }),
  };
}

/** Refuses the first named field that is not valid. */
export function profileProblem(profile: Partial<Profile>): Rejection | null {
  for (const [field, value] of Object.entries(profile)) {
    const problem = value === undefined ? null : fieldProblem(field as keyof Profile, value);
    if (problem !== null) return invalid(field, problem);
  }
  return null;
}

function fieldProblem(field: keyof Profile, value: string | null): string | null {
  switch (field) {
    case 'name':
      return nameProblem(value ?? '');
    case 'country_code':
      return COUNTRY_CODES.has(value ?? '') ? null : 'must be an ISO 3166-1 alpha-2 code, such as GB';
    case 'plan':
      return PLANS.includes(value as Plan) ? null : `must be one of ${PLANS.join(', ')}`;
    case 'time_zone':
      return isTimeZone(value ?? '') ? null : 'must be an IANA time zone, such as Europe/London';
    case 'logo_url':
      return value === null || isWebAddress(value)
        ? null
        : `must be an https address of at most ${MAX_URL_LENGTH} characters`;
    case 'primary_color_light':
    case 'primary_color_dark':
      return value === null || COLOUR.test(value) ? null : 'must be a colour as #rrggbb';
  }
}

/**
 * Whether the runtime has a zone of this name. Offsets such as `+01:00`, which newer runtimes accept as well,
 * are not names.
 */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
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

function isWebAddress(text: string): boolean {
  // The parser drops white space and line breaks, so the parsed address could differ from the text.
  return text.length <= MAX_URL_LENGTH && !/[\p{C}\p{Z}]/u.test(text) && parsedUrl(text)?.protocol === 'https:';
}

/**
 * The subdomain of a sandbox tenant, under which operators may name it: it is in hexadecimal, because a DNS
 * label does not distinguish capitals.
 */
export function tenantSubdomain(tenantId: string): string {
  const random = tenantId.slice(SANDBOX_TENANT_PREFIX.length).split('.');
  return `${SANDBOX_SUBDOMAIN}-${Buffer.from(random.join(''), 'base64url').toString('hex')}`;
}

/** The subdomain that responses show; it is the same for all sandbox tenants. */
export function publicSubdomain(organisationId: string, subdomain: string): string {
  return isSandboxTenant(organisationId) ? SANDBOX_SUBDOMAIN : subdomain;
}
