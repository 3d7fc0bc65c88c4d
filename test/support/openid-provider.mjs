/**
 * An OpenID provider (oidc-provider) for tests, in a process of its own. It prints its address, and ends with
 * its standard input. A person "logs in" by adding `?as=SUBJECT` to the page to which the provider leads, or
 * by its form in a real browser; what it says of each subject is in the argument, as JSON.
 *
 * @example node openid-provider.mjs '{"client_id": "…", "client_secret": "…", "redirect_uris": ["…"],
 *   "accounts": {"s1": {"email": "…"}}, "in_id_token": true}'
 */
import { createServer } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';

const { client_id, client_secret, redirect_uris, accounts, in_id_token } = JSON.parse(process.argv[2]);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      { client_id, client_secret, redirect_uris, grant_types: ['authorization_code'], response_types: ['code'] },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] },
    cookies: { keys: ['test'] },
    // True keeps claims of scopes out of the ID token, as the standard has it where there is an access token.
    conformIdTokenClaims: !in_id_token,
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) =>
      accounts[accountId] === undefined
        ? undefined
        : { accountId, claims: () => ({ sub: accountId, ...accounts[accountId] }) },
    loadExistingGrant: async (context) => {
      const { session, client } = context.oidc;
      const grant = new context.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url, issuer);
    if (!pathname.startsWith('/interaction/')) return handle(request, response);
    const as = searchParams.get('as');
    if (as === null && request.headers['sec-fetch-dest'] === 'document') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      return response.end(
        '<!doctype html><title>Provider</title><form><label>Subject <input name="as"></label><button>Log in</button></form>',
      );
    }
    const result = as === null ? { error: 'access_denied' } : { login: { accountId: as } };
    return provider.interactionFinished(request, response, result);
  });
  process.stdout.write(`${issuer}\n`);
});
process.stdin.resume().on('end', () => process.exit());
