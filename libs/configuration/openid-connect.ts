import { isRole, type Role, ROLES } from '#kernel/roles.js';
import { isLoopbackHost, parsedUrl } from '#kernel/urls.js';
import { list, optional, secret, text } from './variables.js';

const PAIR = /^(.+)=([a-z]+)$/;

/** The variables of sign-in by OpenID Connect. */
export const OPENID_CONNECT_VARIABLES = {
  oidcIssuer: optional(
    'OIDC_ISSUER',
    '`https://…`',
    'The OpenID provider at which people sign in, as its metadata names itself. Without it they sign in by links alone. See [sign in](../../how-to/sign-in.md).',
    issuerCheck,
  ),
  oidcClientId: optional(
    'OIDC_CLIENT_ID',
    'text',
    'The name by which the provider knows this service. Needed with `OIDC_ISSUER`.',
  ),
  oidcClientSecret: secret(
    'OIDC_CLIENT_SECRET',
    'text',
    'The secret of this service at the provider. Without it the service is a public client, which proves itself by PKCE alone.',
    () => null,
  ),
  oidcOrganisation: optional(
    'OIDC_ORGANISATION',
    'id or subdomain',
    'The organisation that people of the provider sign in to. Needed with `OIDC_ISSUER`.',
  ),
  oidcRoleClaim: text(
    'OIDC_ROLE_CLAIM',
    'groups',
    'text',
    'The claim that `OIDC_ROLES` maps: a text, or a list of texts.',
    () => null,
  ),
  oidcRoles: list(
    'OIDC_ROLES',
    'pairs such as `hr-team=hr,auditors=auditor`',
    `Values of the claim, and the role of each: ${ROLES.map((role) => `\`${role}\``).join(', ')}. The first pair that fits counts. Whom none fits may not sign in. Needed with \`OIDC_ISSUER\`.`,
    (value) =>
      isRole(PAIR.exec(value)?.[2] ?? '')
        ? null
        : `must hold pairs such as hr-team=hr, with one of the roles ${ROLES.join(', ')}`,
  ),
  oidcScopes: text(
    'OIDC_SCOPES',
    'openid email',
    'scopes, separated by blanks',
    'What the service asks the provider for.',
    (value) => (value.split(/ +/).includes('openid') ? null : 'must have the scope openid'),
  ),
  oidcTrustEmail: optional(
    'OIDC_TRUST_EMAIL',
    '`yes`',
    'Says that every e-mail address that the provider names is that of the person, where it sends no `email_verified`. Not for providers where people can enter one themselves.',
    (value) => (value === 'yes' ? null : 'must be yes or not be set'),
  ),
} as const;

/** The values of those variables. */
export type OpenIdConfiguration = {
  readonly [Name in keyof typeof OPENID_CONNECT_VARIABLES]: (typeof OPENID_CONNECT_VARIABLES)[Name]['unset'];
};

/** How people sign in at an OpenID provider. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Id or subdomain. */
  readonly organisation: string;
  readonly roleClaim: string;
  /** Values of the claim with their roles: the first that fits counts. */
  readonly roles: readonly (readonly [value: string, role: Role])[];
  readonly scopes: string;
  /** Whether an address counts as verified where the provider does not say. */
  readonly trustsEmail: boolean;
}

/** The settings; null where there is no provider. */
export function openIdSettings(configuration: OpenIdConfiguration): OpenIdSettings | null {
  const { oidcIssuer, oidcClientId, oidcOrganisation } = configuration;
  if (oidcIssuer === null || oidcClientId === null || oidcOrganisation === null) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: configuration.oidcClientSecret,
    organisation: oidcOrganisation,
    roleClaim: configuration.oidcRoleClaim,
    roles: configuration.oidcRoles.map((pair) => {
      const [, value, role] = PAIR.exec(pair)!;
      return [value!, role as Role];
    }),
    scopes: configuration.oidcScopes,
    trustsEmail: configuration.oidcTrustEmail === 'yes',
  };
}

/** What is missing beside the issuer, or is set without it. */
export function openIdIssues({
  oidcIssuer,
  oidcClientId,
  oidcOrganisation,
  oidcRoles,
  oidcClientSecret,
}: OpenIdConfiguration): readonly string[] {
  const needed = {
    OIDC_CLIENT_ID: oidcClientId !== null,
    OIDC_ORGANISATION: oidcOrganisation !== null,
    OIDC_ROLES: oidcRoles.length > 0,
  };
  if (oidcIssuer !== null) {
    return Object.entries(needed).flatMap(([name, isSet]) =>
      isSet ? [] : [`OIDC_ISSUER is set without ${name}: set both.`],
    );
  }
  const set = Object.entries({ ...needed, OIDC_CLIENT_SECRET: oidcClientSecret !== null }).filter(([, isSet]) => isSet);
  return set.map(([name]) => `${name} is set without OIDC_ISSUER: set both, or none.`);
}

/** By https, for the keys that prove who somebody is come from there; by http on this machine alone. */
function issuerCheck(value: string): string | null {
  const url = parsedUrl(value);
  const isPlain = url !== null && url.username + url.password === '' && !/[?#]/.test(value);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isPlain && isSafe ? null : 'must be a URL that starts with https://, without user, query and fragment';
}
