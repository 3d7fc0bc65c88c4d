import { useEffect } from 'react';
import { ConnectionError, isReachable } from '../data/connection.js';
import { Failure } from './states.js';

/** In milliseconds, between two questions whether the service answers again. */
const PAUSE = 3_000;
/** Where the browser keeps, for this window, when the page was loaded anew. */
const RELOADED = 'loaded-anew';
/**
 * In milliseconds, between two loads of the page: a file that is not there must not load it over and over.
 */
const REST = 30_000;

/**
 * The program of a screen did not arrive: the line was down, or a new version of the service has files of
 * other names.
 */
export class ScreenNotLoadedError extends ConnectionError {}

/** Loads the program of a screen. Throws {@link ScreenNotLoadedError}. */
export async function loadScreen<Content>(load: () => Promise<Content>): Promise<Content> {
  try {
    return await load();
  } catch (cause) {
    throw new ScreenNotLoadedError('The program of this screen did not arrive.', { cause });
  }
}

/**
 * Says that a screen could not be loaded, and loads the page anew once the service answers: browsers do not
 * ask again for a file that failed.
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
