import i18next from 'i18next';
import { useEffect } from 'react';
import { ConnectionError, isReachable } from '../data/connection.js';
import { Failure } from './states.js';

/** The interval of checks whether the service answers again, in milliseconds. */
const PAUSE = 3_000;
/** The key of the browser's session storage for the time of the last reload. */
const RELOADED = 'loaded-anew';
/**
 * The minimum interval between two reloads, in milliseconds: a missing file must not reload the page
 * repeatedly.
 */
const REST = 30_000;

/**
 * The program of a screen could not be loaded: the connection failed, or a new version of the service has
 * other file names.
 */
export class ScreenNotLoadedError extends ConnectionError {}

/** Loads the program of a screen. Throws {@link ScreenNotLoadedError}. */
export async function loadScreen<Content>(load: () => Promise<Content>): Promise<Content> {
  try {
    return await load();
  } catch (cause) {
    throw new ScreenNotLoadedError(i18next.t('failure.notLoaded'), { cause });
  }
}

/**
 * Reports that a screen could not be loaded, and reloads the page once the service answers: browsers do not
 * request a failed file again.
 */
export function ScreenNotLoaded({ error }: { readonly error: ScreenNotLoadedError }) {
  useEffect(() => {
    const timer = setInterval(() => {
      if (Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < REST) return;
      void isReachable().then((isUp) => {
        if (!isUp) return;
        sessionStorage.setItem(RELOADED, String(Date.now()));
        location.reload();
      });
    }, PAUSE);
    return () => clearInterval(timer);
  }, []);
  return <Failure error={error} onRetry={() => location.reload()} />;
}
