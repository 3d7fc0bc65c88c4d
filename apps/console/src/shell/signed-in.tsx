import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Session, SessionProvider, sessionQuery } from '../data/session.js';
import { mayHaveChanged } from '../data/use-write.js';
import { SignIn } from '../screens/sign-in/screen.js';
import { Failure, Loading } from '../ui/states.js';

/** Whether the page began, before the sign-in, in another language than the user's. */
const speaksOther = ({ preferences: { language } }: Session): boolean =>
  language !== null && language !== document.documentElement.lang;

/**
 * Shows the content to a signed-in user, and otherwise the sign-in. The address stays, so that signing in
 * leads back. A session that ends hides the content and keeps it, with all that was typed, until the same
 * user has signed in again; another user gets a new page.
 */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('shell');
  const queryClient = useQueryClient();
  const session = useQuery({ ...sessionQuery, refetchOnWindowFocus: 'always' });
  const [last, setLast] = useState<Session | null>(null);
  const { data } = session;
  if (data !== undefined && data !== null && data !== last) {
    if (last === null ? speaksOther(data) : last.user.id !== data.user.id) location.reload();
    setLast(data);
  }
  const isEnded = data === null && last !== null;
  useEffect(() => {
    if (!isEnded) return;
    document.documentElement.dataset['sessionEnded'] = '';
    return () => {
      delete document.documentElement.dataset['sessionEnded'];
      void queryClient.invalidateQueries({ predicate: mayHaveChanged });
    };
  }, [isEnded, queryClient]);
  if (last === null) {
    if (session.isError) return <Failure error={session.error} onRetry={() => void session.refetch()} />;
    return data === null ? <SignIn /> : <Loading of={t('session')} />;
  }
  return (
    <SessionProvider value={last}>
      {isEnded && <SignIn isEnded />}
      <div hidden={isEnded}>{children}</div>
    </SessionProvider>
  );
}
