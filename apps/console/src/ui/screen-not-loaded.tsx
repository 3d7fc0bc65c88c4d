import { useEffect } from 'react';
import { ConnectionError, isReachable } from '../data/connection.js';
import { Failure } from './states.js';

/** In milliseconds, between two questions whether the service answers again. */
const PAUSE = 3_000;
/** Where the browser keeps, for this window, which address was loaded anew, so that a file that is not there does not load it for ever. */
const RELOADED = 'loaded-anew';

/** The program of a screen did not arrive: the line was down, or a new version of the service has files of other names. */
export class ScreenNotLoadedError extends ConnectionError {}

/** Loads the program of a screen. Throws {@link ScreenNotLoadedError}. */
export async function loadScreen<Content>(load: () => Promise<Content>): Promise<Content> {
  try {
    const content = await load();
    sessionStorage.removeItem(RELOADED);
    return content;
  } catch (cause) {
    throw new ScreenNotLoadedError('The program of this screen did not arrive.', { cause });
  }
}

/** Says that a screen could not be loaded, and loads the page anew once the service answers: browsers do not ask again for a file that failed. */
export function ScreenNotLoaded({ error }: { readonly error: ScreenNotLoadedError }) {
  useEffect(() => {
    if (sessionStorage.getItem(RELOADED) === location.href) return undefined;
    const timer = setInterval(() => {
      void isReachable().then((isUp) => {
        if (!isUp) return;
        sessionStorage.setItem(RELOADED, location.href);
        location.reload();
      });
    }, PAUSE);
    return () => clearInterval(timer);
  }, []);
  return <Failure error={error} onRetry={() => location.reload()} />;
}
