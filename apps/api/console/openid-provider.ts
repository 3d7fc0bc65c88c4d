import type { Configuration } from 'openid-client';
import type { OpenIdSettings } from '#configuration/openid-connect.js';
import type { Clock } from '#kernel/clock.js';
import type { Role } from '#kernel/roles.js';
import type { ProvedIdentity } from '#access/user/administer-users.js';

/** The browser's data of a started sign-in, which binds the provider's response to it. */
export interface SignInAttempt {
  readonly state: string;
  /** When the sign-in began, in seconds since 1970, a hyphen and 32 random bytes in base64url. */
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The maximum time of a person at the provider, in seconds. */
export const ATTEMPT_SECONDS = 600;

/**
 * The provider's response did not authenticate a user: the state, the nonce, the code or a signature is
 * wrong, or the user refused.
 */
export class SignInFailedError extends Error {}

/** The provider authenticated a user who may not sign in; the message has the reason. */
export class SignInRefusedError extends Error {}

const TIMEOUT_SECONDS = 10;

/**
 * Signs users in at an OpenID provider: code flow with PKCE, state and nonce (OpenID Connect Core 1.0,
 * section 3.1; RFC 9700, section 2.1). The signature of every ID token is verified with the provider's
 * published keys, also over TLS: an impostor does not have them.
 */
export class OpenIdProvider {
  private discovered: Promise<Configuration> | null = null;

  constructor(
    readonly settings: OpenIdSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the redirect for the browser, and the browser's data meanwhile. Throws if the provider cannot be
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
   * Returns the identity that the provider's response authenticates. Throws {@link SignInFailedError}, {@link
   * SignInRefusedError}, and network errors.
   *
   * @param answer the redirect URI with the query of the browser's return
   */
  async finish(answer: URL, attempt: SignInAttempt): Promise<ProvedIdentity> {
    const client = await import('openid-client');
    const configuration = await this.configuration();
    // The signed token contains the nonce, so the start time of the sign-in cannot be changed.
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
      // Many providers include only the subject in the ID token.
      const userInfo = await client.fetchUserInfo(configuration, tokens.access_token, ofToken.sub);
      return { subject: ofToken.sub, sources: [ofToken, userInfo] };
    });
    return this.identityOf(proved);
  }

  /** `sources`: the claims of the ID token, and those of the user information if it was requested. */
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
   * The address of the first source that states whether its address is verified: the statement does not apply
   * to another source's address.
   */
  private emailOf(sources: readonly Claims[]): string {
    const named = sources.filter(({ email }) => email !== undefined);
    const { email, email_verified: isVerified } =
      named.find((claims) => claims['email_verified'] !== undefined) ?? named[0] ?? {};
    if (typeof email !== 'string') throw new SignInRefusedError('the provider sent no e-mail address');
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
    // Without it the client trusts any token that arrives over TLS. The configuration accepts http on this
    // machine only.
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

/** Distinguishes a response that does not authenticate a user from a provider that does not answer. */
async function asFailure<T>(client: Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isAnswer =
      error instanceof client.AuthorizationResponseError ||
      error instanceof client.ResponseBodyError ||
      error instanceof client.WWWAuthenticateChallengeError ||
      (error instanceof client.ClientError && error.code !== 'OAUTH_TIMEOUT') ||
      // Text that is not valid base64url; a TypeError of the network has no code.
      (error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_ARG_VALUE');
    if (isAnswer)
      throw new SignInFailedError("the identity provider's response did not authenticate a user", { cause: error });
    throw error;
  }
}
