import { request } from 'node:http';
import type { Role } from '#kernel/roles.js';
import { createSignInToken } from '#access/authentication/sessions.js';
import type { UserRow } from '#access/user/user.js';
import { inviteUser } from '../access.js';
import { testContext } from '../command-services.js';
import type { ApiAnswer, ApiClient, SendOptions } from './http-client.js';
import type { TestApi } from './test-api.js';

/** The headers of a page of the service itself, as browsers send them. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' } as const;

/** The parts of an answer that a browser acts on. */
export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: {
    readonly data: Record<string, never>;
    readonly error: { readonly code: string; readonly message: string };
  };
  readonly text: string;
}

/** A browser: it keeps the cookies of one host, and follows no redirect by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(readonly url: string) {}

  /** Sends a request as a page of the service itself would, with other headers where given. */
  send(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<BrowserAnswer> {
    const payload = options.body === undefined ? undefined : JSON.stringify(options.body);
    const headers: Record<string, string> = { ...OWN_PAGE, ...options.headers };
    if (payload !== undefined)
      Object.assign(headers, {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
      });
    if (this.cookies.size > 0) headers['cookie'] ??= this.cookieHeader();
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.url), { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          for (const cookie of response.headers['set-cookie'] ?? []) this.keep(cookie);
          const text = Buffer.concat(chunks).toString();
          const json = (text.startsWith('{') ? JSON.parse(text) : {}) as BrowserAnswer['json'];
          resolve({ status: response.statusCode!, headers: response.headers, json, text });
        });
      });
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private keep(cookie: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
    if (/; Max-Age=0(;|$)/.test(cookie)) this.cookies.delete(name!);
    else this.cookies.set(name!, value!);
  }
}

/** Makes a user, and a link's token for them. */
export async function invited(
  api: TestApi,
  organisationId: string,
  role: Role,
  options: { readonly email?: string; readonly now?: Date } = {},
): Promise<{ readonly user: UserRow; readonly token: string }> {
  const email = options.email ?? `${role}@example.com`;
  const user = await inviteUser(api.services, testContext(organisationId), { email, role });
  const { token } = await createSignInToken(
    api.services.executor,
    { organisationId, userId: user.id },
    options.now ?? new Date(),
  );
  return { user, token };
}

/** A browser in which a new user has signed in. */
export async function signedIn(
  api: TestApi,
  organisationId: string,
  role: Role,
  options: { readonly email?: string; readonly now?: Date; readonly url?: string } = {},
): Promise<{ readonly browser: Browser; readonly user: UserRow }> {
  const { user, token } = await invited(api, organisationId, role, options);
  const browser = new Browser(options.url ?? api.url);
  const { status, text } = await browser.send('POST', '/console/session', { body: { token } });
  if (status !== 204) throw new Error(`nobody signed in: ${text}`);
  return { browser, user };
}

/** Sends requests of the API as the page of a browser's session would, through a client without a key. */
export function clientOf(browser: Browser, withoutKey: ApiClient): Pick<ApiClient, 'send'> {
  return {
    send: <Data>(method: string, path: string, options: SendOptions = {}): Promise<ApiAnswer<Data>> =>
      withoutKey.send<Data>(method, path, {
        ...options,
        headers: { ...OWN_PAGE, cookie: browser.cookieHeader(), ...options.headers },
      }),
  };
}
