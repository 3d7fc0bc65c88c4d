import { createRootRouteWithContext, createRoute, createRouter, Navigate, Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { parseSearch, stringifySearch } from './data/address.js';
import { useSession } from './data/session.js';
import { useRecovery } from './data/use-recovery.js';
import { loadTexts } from './languages/start-languages.js';
import { mayOpen, type Screen } from './screen.js';
import { SCREENS } from './screens.js';
import { SignIn } from './screens/sign-in/screen.js';
import { Shell } from './shell/shell.js';
import { SignedIn } from './shell/signed-in.js';
import { NoPage } from './ui/no-page.js';
import { loadScreen, ScreenNotLoaded, ScreenNotLoadedError } from './ui/screen-not-loaded.js';
import { Failure, Loading, NotPermitted } from './ui/states.js';

const rootRoute = createRootRouteWithContext()({
  component: () => {
    useRecovery();
    return <Outlet />;
  },
});

const signInRoute = createRoute({ getParentRoute: () => rootRoute, path: '/sign-in', component: SignIn });

/**
 * The content for signed-in users: the shell around each screen, and the sign-in once the session has ended.
 */
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  component: () => (
    <SignedIn>
      <Shell>
        <Outlet />
      </Shell>
    </SignedIn>
  ),
});

const startRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/', component: Start });

const noPageRoute = createRoute({ getParentRoute: () => signedInRoute, path: '$', component: NoPage });

const screenRoutes = SCREENS.map((screen) =>
  createRoute({ getParentRoute: () => signedInRoute, path: screen.path, component: componentOf(screen) }),
);

/** Creates the router of the console. */
export function createConsoleRouter() {
  return createRouter({
    routeTree: rootRoute.addChildren([
      signInRoute,
      signedInRoute.addChildren([startRoute, ...screenRoutes, noPageRoute]),
    ]),
    basepath: '/console',
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultErrorComponent: ({ error, reset }) =>
      error instanceof ScreenNotLoadedError ? (
        <ScreenNotLoaded error={error} />
      ) : (
        <Failure error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
      ),
  });
}

/** The first screen that the user's role may open. */
function Start() {
  const { t } = useTranslation('shell');
  const session = useSession();
  const first = SCREENS.find((screen) => screen.navigation !== null && mayOpen(session, screen));
  return first === undefined ? (
    <NotPermitted what={t('names.anything')} />
  ) : (
    <Navigate to={first.path as never} replace />
  );
}

function componentOf(screen: Screen) {
  const { name, load, texts = [] } = screen;
  const Content = lazy(async () => {
    const [content] = await loadScreen(() => Promise.all([load(), loadTexts(texts)]));
    return { default: content };
  });
  return function ScreenOfRoute() {
    const { t } = useTranslation('shell');
    const session = useSession();
    if (!mayOpen(session, screen)) return <NotPermitted what={t(`names.${name}`)} />;
    return (
      <Suspense fallback={<Loading of={t(`names.${name}`)} />}>
        <Content />
      </Suspense>
    );
  };
}
