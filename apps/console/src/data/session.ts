import { retryingFetch, WorkforceError } from '@workforce-hr/client';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Scope } from './client.js';
import { send } from './connection.js';
import { setTimeZone } from './days.js';
import type { Language } from './locale.js';
import type { Page } from './use-pages.js';

/** What the user has chosen, in every browser. */
export interface Preferences {
  /** Null for the language of the browser. */
  readonly language: Language | null;
  readonly views: readonly SavedView[];
}

/** A state of a screen, such as a search with its filters, by the name that the user gave it. */
export interface SavedView {
  /** The list to which it belongs: one a screen. */
  readonly list: string;
  readonly name: string;
  /** The query string of the address. */
  readonly state: string;
}

/** The signed-in user, see docs/reference/console-session.md. */
export interface Session {
  readonly user: { readonly id: string; readonly email: string };
  readonly role: 'employee' | 'manager' | 'viewer' | 'hr' | 'auditor' | 'integrator' | 'administrator';
  /** The person whom the user is; null if they are linked with none. */
  readonly person_id: string | null;
  readonly scopes: readonly Scope[];
  readonly organisation: {
    readonly id: string;
    readonly name: string;
    /** An IANA name, such as `Europe/London`, which determines the current day of all forms. */
    readonly time_zone: string;
  };
  readonly preferences: Preferences;
  readonly idle_until: string;
  readonly expires_at: string;
}

const ROUTE = '/console/session';

/** The routes of the console are repeated as the operations of the API are. */
const sendRepeatedly = retryingFetch(send);

/**
 * Calls a route of the console; reads and writes with an idempotency key are repeated after an outage. Throws
 * {@link WorkforceError} for a response other than a success.
 */
export async function request(
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const content =
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await sendRepeatedly(new Request(path, { method, ...content }));
  if (!response.ok) throw await WorkforceError.of(response);
  return response;
}

/** The session of this browser; null if no user is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    try {
      const data = await readFromConsole<Session>(ROUTE);
      setTimeZone(data.organisation.time_zone);
      return data;
    } catch (error) {
      if (error instanceof WorkforceError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

const SessionContext = createContext<Session | null>(null);

/** Gives the session to a screen, also while it is covered because the session has ended. */
export const SessionProvider = SessionContext.Provider;

/** The session; screens are shown only with one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('no user is signed in');
  return session;
}

/** Whether the role sees people by their relation to the user, and has screens of its own. */
export const seesByRelation = ({ role }: Pick<Session, 'role'>): boolean => role === 'employee' || role === 'manager';

/** Whether the user has each of these scopes. */
export function useMay(...scopes: readonly Scope[]): boolean {
  const session = useSession();
  return scopes.every((scope) => session.scopes.includes(scope));
}

/**
 * Sends a write to a route of the console that is not an operation of the API, and returns the data of its
 * response. Throws {@link WorkforceError}.
 */
export async function sendToConsole<Data>(
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Data> {
  const response = await request(method, path, body, headers);
  return ((await response.json()) as { readonly data: Data }).data;
}

/** Reads a route of the console that is not an operation of the API. Throws {@link WorkforceError}. */
export async function readFromConsole<Data>(path: string): Promise<Data> {
  const response = await request('GET', path);
  return ((await response.json()) as { readonly data: Data }).data;
}

/**
 * Reads a page of a list of the console that is not an operation of the API. Throws {@link WorkforceError}.
 */
export async function readPageFromConsole<Item>(
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Page<Item>> {
  const response = await request('GET', `${path}?${new URLSearchParams(query).toString()}`);
  return (await response.json()) as Page<Item>;
}

/** Signs in with the token of a link. Throws {@link WorkforceError} if the link is not valid. */
export const signIn = (token: string): Promise<Response> => request('POST', ROUTE, { token });

/**
 * Changes what the user has chosen, from its present state: another window may have changed it. Throws
 * {@link WorkforceError}.
 */
export async function changePreferences(
  queryClient: QueryClient,
  change: (former: Preferences) => Partial<Preferences>,
): Promise<void> {
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session === null) return;
  const preferences = { ...session.preferences, ...change(session.preferences) };
  await request('PUT', '/console/preferences', preferences);
  const next: Session = { ...session, preferences };
  queryClient.setQueryData(sessionQuery.queryKey, next);
}

/** Ends this session, or all sessions of the user. */
export const signOut = (everywhere: boolean): Promise<Response> =>
  request('DELETE', everywhere ? '/console/sessions' : ROUTE);

/** Whether people can sign in at the organisation's OpenID provider. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => readFromConsole<{ readonly openid_connect: boolean }>('/console/sign-in/methods'),
  staleTime: Number.POSITIVE_INFINITY,
});
