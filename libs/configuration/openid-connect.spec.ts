import { configurationIssues } from '../../test/support/configuration-issues.js';
import { readConfiguration } from './configuration.js';
import { openIdSettings } from './openid-connect.js';

const COMPLETE = {
  OIDC_ISSUER: 'https://login.example.com/tenant',
  OIDC_CLIENT_ID: 'workforce',
  OIDC_ORGANISATION: 'acme',
  OIDC_ROLES: 'hr-team=hr, CN=Leads=administrator',
};

it('is null without an issuer', () => expect(openIdSettings(readConfiguration({}))).toBeNull());

it('has the pairs in their order, each split at its last equals sign', () => {
  expect(openIdSettings(readConfiguration(COMPLETE))).toEqual({
    issuer: 'https://login.example.com/tenant',
    clientId: 'workforce',
    clientSecret: null,
    organisation: 'acme',
    roleClaim: 'groups',
    roles: [
      ['hr-team', 'hr'],
      ['CN=Leads', 'administrator'],
    ],
    scopes: 'openid email',
    trustsEmail: false,
  });
});

it.each(['OIDC_CLIENT_ID', 'OIDC_ORGANISATION', 'OIDC_ROLES'])(
  'needs %s beside the issuer, and the issuer beside it',
  (name) => {
    expect(configurationIssues({ ...COMPLETE, [name]: '' })).toEqual([`OIDC_ISSUER is set without ${name}: set both.`]);
    expect(configurationIssues({ [name]: COMPLETE[name as keyof typeof COMPLETE] })).toEqual([
      `${name} is set without OIDC_ISSUER: set both, or none.`,
    ]);
  },
);

it.each([
  ['OIDC_ISSUER', 'http://login.example.com'],
  ['OIDC_ISSUER', 'http://127.0.0.1.evil.example'],
  ['OIDC_ISSUER', 'https://user:password@login.example.com'],
  ['OIDC_ISSUER', 'https://login.example.com?tenant=1'],
  ['OIDC_ISSUER', 'login.example.com'],
  ['OIDC_ROLES', 'hr-team'],
  ['OIDC_ROLES', 'hr-team=owner'],
  ['OIDC_ROLES', '=hr'],
  ['OIDC_SCOPES', 'email'],
  ['OIDC_TRUST_EMAIL', 'true'],
])('refuses %s=%s', (name, value) => {
  expect(configurationIssues({ ...COMPLETE, [name]: value })).toContainEqual(
    expect.stringMatching(new RegExp(`^${name} must `)),
  );
});

it('accepts http on this machine, for development', () => {
  expect(configurationIssues({ ...COMPLETE, OIDC_ISSUER: 'http://127.0.0.1:4000' })).toEqual([]);
});
