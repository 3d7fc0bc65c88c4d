import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The state of a screen in the address bar: texts by name; an absent name has its default. */
export type AddressState = Readonly<Record<string, string | undefined>>;

/** New texts for some names; undefined removes one from the address. */
type Change<State> = { readonly [Name in keyof State]?: State[Name] | undefined };

/** Reads a query string into texts. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Writes texts as a query string; undefined and empty values are left out. */
export function stringifySearch(state: Record<string, unknown>): string {
  const entries = Object.entries(state).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  const text = new URLSearchParams(entries).toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * The state in the address bar, so that a view can be sent to a colleague. A change replaces the entry of the
 * history, unless `push` adds one for "back".
 */
export function useAddress<State extends AddressState>(): readonly [
  State,
  (change: Change<State>, how?: { push: boolean }) => void,
] {
  const state = useSearch({ strict: false }) as State;
  const navigate = useNavigate();
  const change = useCallback(
    (requested: Change<State>, { push } = { push: false }) => {
      const search = (former: AddressState): AddressState => ({ ...former, ...requested });
      void navigate({ to: '.', search: search as never, replace: !push, resetScroll: false });
    },
    [navigate],
  );
  return [state, change];
}

/** A parameter of the path of the screen, such as `personId`. Throws if the path has none of that name. */
export function useParameter(name: string): string {
  const value = (useParams({ strict: false }) as Readonly<Record<string, string | undefined>>)[name];
  if (value === undefined) throw new Error(`the path has no parameter ${name}`);
  return value;
}
