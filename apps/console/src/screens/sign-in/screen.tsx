import { lazy, Suspense } from 'react';
import { loadTexts } from '../../languages/start-languages.js';
import { loadScreen } from '../../ui/screen-not-loaded.js';

const Content = lazy(async () => {
  const [{ SignIn: content }] = await loadScreen(() => Promise.all([import('./sign-in.js'), loadTexts(['sign-in'])]));
  return { default: content };
});

/**
 * The sign-in page, loaded when it is needed: most visits begin with a session.
 *
 * `isEnded`: the session has ended while a screen was open.
 */
export function SignIn({ isEnded = false }: { readonly isEnded?: boolean }) {
  return (
    <Suspense fallback={null}>
      <Content isEnded={isEnded} />
    </Suspense>
  );
}
