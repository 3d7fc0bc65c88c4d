import { lazy, Suspense } from 'react';
import { loadTexts } from '../../languages/start-languages.js';
import { loadScreen } from '../../ui/screen-not-loaded.js';

const Content = lazy(async () => {
  const [{ SignIn: content }] = await loadScreen(() => Promise.all([import('./sign-in.js'), loadTexts('sign-in')]));
  return { default: content };
});

/** The sign-in page, loaded when it is needed: most visits begin with a session. */
export function SignIn() {
  return (
    <Suspense fallback={null}>
      <Content />
    </Suspense>
  );
}
