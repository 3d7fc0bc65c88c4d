import type { Configuration } from 'openid-client';
import type { OpenIdSettings } from '#configuration/openid-connect.js';
import type { Clock } from '#kernel/clock.js';
import type { Role } from '#kernel/roles.js';
import type { ProvedIdentity } from '#access/user/administer-users.js';

/** What a browser keeps of a sign-in that it has begun, to bind the answer of the provider to it. */
export interface SignInAttempt {
  readonly state: string;
  /** When the sign-in began, in seconds since 1970, a hyphen and 32 random bytes in base64url. */
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** How long a person may take at the provider, in seconds. */
export const ATTEMPT_SECONDS = 600;

/**
 * The provider answered, and nobody is proved by it: the state, the nonce, the code or a signature is wrong,
 * or the person refused.
 */
export class SignInFailedError extends Error {}

/** The provider proved who somebody is, and they may not sign in; the message says why. */
export class SignInRefusedError extends Error {}

const TIMEOUT_SECONDS = 10;

/**
 * Signs people in at an OpenID provider: code flow with PKCE, state and nonce (OpenID Connect Core 1.0,
 * section 3.1; RFC 9700, section 2.1). The signature of every ID token is checked with the keys that the
 * provider publishes, by TLS too: who answers in its place has no key of it.
 */
export class OpenIdProvider {
  private discovered: Promise<Configuration> | null = null;

  constructor(
    private readonly settings: OpenIdSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns where to send the browser, and what it keeps meanwhile. Throws where the provider cannot be
   * reached.
   */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }> {
    const client = await import('openid-client');
    const nonce = `${this.seconds()}-${client.randomNonce()}`;
    const attempt = { state: client.randomState(), nonce, codeVerifier: client.randomPKCECodeVerifier() };
    const url = client.buildAuthorizationUrl(await this.configuration(), {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, attempt };
  }

  /**
   * Returns whom the provider's answer proves. Throws {@link SignInFailedError}, {@link SignInRefusedError},
   * and what the network throws.
   *
   * @param answer the redirect URI with the query with which the browser came back
   */
  async finish(answer: URL, attempt: SignInAttempt): Promise<ProvedIdentity> {
    const client = await import('openid-client');
    const configuration = await this.configuration();
    // The signed token repeats the nonce, so that nobody changes when the sign-in began.
    const age = this.seconds() - Number(attempt.nonce.split('-', 1)[0]);
    if (!(age <= ATTEMPT_SECONDS)) throw new SignInFailedError('the sign-in began too long ago');
    const proved = await asFailure(client, async () => {
      const tokens = await client.authorizationCodeGrant(configuration, answer, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.codeVerifier,
        idTokenExpected: true,
      });
      const ofToken = tokens.claims()!;
      const isComplete = ['email', 'email_verified', this.settings.roleClaim].every(
        (claim) => ofToken[claim] !== undefined,
      );
      if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined)
        return { subject: ofToken.sub, sources: [ofToken] };
      // Many providers put into the ID token only who somebody is.
      const told = await client.fetchUserInfo(configuration, tokens.access_token, ofToken.sub);
      return { subject: ofToken.sub, sources: [ofToken, told] };
    });
    return this.identityOf(proved);
  }

  /** `sources`: the claims of the ID token, and those of the user information where it was asked for. */
  private identityOf({
    subject,
    sources,
  }: {
    readonly subject: string;
    readonly sources: readonly Claims[];
  }): ProvedIdentity {
    const role = this.roleOf(
      sources.map((claims) => claims[this.settings.roleClaim]).find((claim) => claim !== undefined),
    );
    return { issuer: this.settings.issuer, subject, email: this.emailOf(sources), role };
  }

  /**
   * The address of the first source that says whether its own address is verified: what one says holds for no
   * address of another.
   */
  private emailOf(sources: readonly Claims[]): string {
    const named = sources.filter(({ email }) => email !== undefined);
    const { email, email_verified: isVerified } =
      named.find((claims) => claims['email_verified'] !== undefined) ?? named[0] ?? {};
    if (typeof email !== 'string') throw new SignInRefusedError('the provider names no e-mail address');
    if (isVerified !== true && !(isVerified === undefined && this.settings.trustsEmail)) {
      throw new SignInRefusedError('the provider has not verified the e-mail address');
    }
    return email;
  }

  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }

  private roleOf(claim: unknown): Role {
    const values = [claim].flat();
    const found = this.settings.roles.find(([value]) => values.includes(value));
    if (found === undefined)
      throw new SignInRefusedError(`no value of the claim ${this.settings.roleClaim} maps to a role`);
    return found[1];
  }

  /** The provider's metadata, fetched once; again after a failure. */
  private configuration(): Promise<Configuration> {
    this.discovered ??= this.discover().catch((error: unknown) => {
      this.discovered = null;
      throw error;
    });
    return this.discovered;
  }

  private async discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.settings;
    const authentication = clientSecret === null ? client.None() : client.ClientSecretBasic(clientSecret);
    // Without it the client trusts any token that comes by TLS. The configuration takes http on this machine
    // alone.
    const execute = [
      client.enableNonRepudiationChecks,
      ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
    ];
    return client.discovery(new URL(issuer), clientId, undefined, authentication, {
      execute,
      timeout: TIMEOUT_SECONDS,
    });
  }
}

type Claims = Readonly<Record<string, unknown>>;
type Client = typeof import('openid-client');

/** Tells an answer of the provider that proves nothing from a provider that does not answer. */
async function asFailure<T>(client: Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAnswer =
      error instanceof client.AuthorizationResponseError ||
      error instanceof client.ResponseBodyError ||
      error instanceof client.WWWAuthenticateChallengeError ||
      (error instanceof client.ClientError && error.code !== 'OAUTH_TIMEOUT') ||
      // Text that should be base64url; a TypeError of the network has no code.
      (error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_ARG_VALUE');
    if (isAnswer) throw new SignInFailedError('the answer of the provider proves nobody', { cause: error });
    throw error;
  }
}
