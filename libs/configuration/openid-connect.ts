import { isRole, type Role, ROLES } from '#kernel/roles.js';
import { isLoopbackHost, parsedUrl } from '#kernel/urls.js';
import { list, optional, secret, text } from './variables.js';

const PAIR = /^(.+)=([a-z]+)$/;

/** The variables of sign-in by OpenID Connect. */
export const OPENID_CONNECT_VARIABLES = {
  oidcIssuer: optional(
    'OIDC_ISSUER',
    '`https://…`',
    'The OpenID provider for sign-in, by the issuer of its metadata. Without it people sign in by links only. See ' +
      '[sign in](../../how-to/sign-in.md).',
    issuerCheck,
  ),
  oidcClientId: optional(
    'OIDC_CLIENT_ID',
    'text',
    'The client id of this service at the provider. Needed with `OIDC_ISSUER`.',
  ),
  oidcClientSecret: secret(
    'OIDC_CLIENT_SECRET',
    'text',
    'The secret of this service at the provider. Without it the service is a public client, which authenticates ' +
      'itself by PKCE alone.',
    () => null,
  ),
  oidcOrganisation: optional(
    'OIDC_ORGANISATION',
    'id or subdomain',
    'The organisation to which people of the provider sign in. Needed with `OIDC_ISSUER`.',
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
    `Values of the claim, and the role of each: ${ROLES.map((role) => `\`${role}\``).join(', ')}. The first matching ` +
      `pair applies. People without a match may not sign in. Needed with \`OIDC_ISSUER\`.`,
    (value) =>
      isRole(PAIR.exec(value)?.[2] ?? '')
        ? null
        : `must hold pairs such as hr-team=hr, with one of the roles ${ROLES.join(', ')}`,
  ),
  oidcScopes: text(
    'OIDC_SCOPES',
    'openid email',
    'scopes, separated by spaces',
    'The scopes that the service requests from the provider.',
    (value) => (value.split(/ +/).includes('openid') ? null : 'must have the scope openid'),
  ),
  oidcTrustEmail: optional(
    'OIDC_TRUST_EMAIL',
    '`yes`',
    'Accepts every e-mail address from the provider as verified if it sends no `email_verified`. Not for providers ' +
      'where people can enter an address themselves.',
    (value) => (value === 'yes' ? null : 'must be yes or not be set'),
  ),
} as const;

/** The values of those variables. */
export type OpenIdConfiguration = {
  readonly [Name in keyof typeof OPENID_CONNECT_VARIABLES]: (typeof OPENID_CONNECT_VARIABLES)[Name]['unset'];
};

/** The settings of sign-in at an OpenID provider. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Id or subdomain. */
  readonly organisation: string;
  readonly roleClaim: string;
  /** Values of the claim with their roles: the first match applies. */
  readonly roles: readonly (readonly [value: string, role: Role])[];
  readonly scopes: string;
  /** Whether an address counts as verified without a statement of the provider. */
  readonly trustsEmail: boolean;
}

/** The settings; null if there is no provider. */
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

/** A setting that is missing next to the issuer, or is set without it. */
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

/** By https, because the keys that authenticate people come from there; by http on this machine only. */
function issuerCheck(value: string): string | null {
  const url = parsedUrl(value);
  const isPlain = url !== null && url.username + url.password === '' && !/[?#]/.test(value);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isPlain && isSafe ? null : 'must be a URL that starts with https://, without user, query and fragment';
}
