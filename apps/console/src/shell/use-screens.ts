import { useSession } from '../data/session.js';
import type { Navigation, Screen } from '../screen.js';
import { SCREENS } from '../screens.js';

/** A screen of the navigation. */
export interface ListedScreen extends Navigation {
  readonly path: string;
}

/** The screens of the navigation that the user's role may open. */
export function useScreens(): readonly ListedScreen[] {
  const { scopes } = useSession();
  return SCREENS.filter((screen): screen is Screen & { readonly navigation: Navigation } => screen.navigation !== null)
    .filter(({ scopes: needed }) => needed.every((scope) => scopes.includes(scope)))
    .map(({ path, navigation }) => ({ path, ...navigation }));
}
