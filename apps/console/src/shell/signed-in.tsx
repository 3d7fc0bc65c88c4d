import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionQuery } from '../data/session.js';
import { SignIn } from '../screens/sign-in/screen.js';
import { Failure, Loading } from '../ui/states.js';

/**
 * Shows the content to a signed-in user, and otherwise the sign-in. The address stays, so that signing in
 * leads back.
 */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('shell');
  const session = useQuery(sessionQuery);
  if (session.isError) return <Failure error={session.error} onRetry={() => void session.refetch()} />;
  if (session.isPending) return <Loading of={t('session')} />;
  return session.data === null ? <SignIn /> : children;
}
