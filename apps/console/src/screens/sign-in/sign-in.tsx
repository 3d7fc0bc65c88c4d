import { Alert, Anchor, Button, Card, Center, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseSearch } from '../../data/address.js';
import { sessionQuery, signIn, signInMethodsQuery } from '../../data/session.js';
import { Failure } from '../../ui/states.js';

/** The values of `problem` after the return from the OpenID provider. */
const PROBLEMS = ['failed', 'refused', 'unavailable'] as const;
const PATH = '/console/sign-in';
/** Where this tab keeps the address that the sign-in leads to. */
const RETURN = 'workforce-hr.return';

/**
 * The target page of a link. It signs in when its button is pressed, and not when it is opened: scanners of
 * e-mail open links, and some run their scripts. The token is in the fragment, which browsers do not send;
 * the page removes it from the address at once. Shown in place of a screen, it leads back there.
 *
 * `isEnded`: the session has ended while the screen was open.
 */
export function SignIn({ isEnded = false }: { readonly isEnded?: boolean }) {
  const { t } = useTranslation(['sign-in', 'shell']);
  const [token, setToken] = useState(tokenOfAddress);
  const queryClient = useQueryClient();
  const { history: addresses } = useRouter();
  const session = useQuery(sessionQuery);
  const methods = useQuery(signInMethodsQuery);
  const isSignInPage = location.pathname === PATH;
  const problem = PROBLEMS.find((one) => one === parseSearch(location.search)['problem']);
  const isSignedIn = session.data !== null && session.data !== undefined;
  useEffect(() => {
    document.title = `${t('title')} · Workforce HR`;
    if (location.pathname !== PATH) sessionStorage.setItem(RETURN, location.pathname + location.search);
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
    // A second link may be opened in the same tab.
    const take = (): void => {
      if (location.pathname === PATH && location.hash.length > 1) {
        setToken(location.hash.slice(1));
        history.replaceState(history.state, '', location.pathname + location.search);
      }
    };
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, [t]);
  useEffect(() => {
    if (isSignedIn && isSignInPage && token === '') addresses.replace(takeReturn());
  }, [isSignedIn, isSignInPage, token, addresses]);
  const signingIn = useMutation({
    mutationFn: signIn,
    onSettled: () => setToken(''),
    onSuccess: async () => {
      // A query from before the use of the link may still be in progress, and its response would report that
      // no user is signed in.
      await queryClient.cancelQueries({ queryKey: sessionQuery.queryKey });
      await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder shadow="sm" padding="xl" radius="md" w="100%" maw={400}>
        <Stack>
          <Title order={1} size="h3">
            Workforce HR
          </Title>
          {isEnded && (
            <Alert role="alert" title={t('shell:ended.title')}>
              {t('shell:ended.hint')}
            </Alert>
          )}
          {problem !== undefined && (
            <Alert color="red" role="alert">
              {t(`problems.${problem}`)}
            </Alert>
          )}
          {signingIn.isError && <Failure error={signingIn.error} />}
          {token !== '' && (
            <Button onClick={() => signingIn.mutate(token)} loading={signingIn.isPending}>
              {t('title')}
            </Button>
          )}
          {token === '' && <Text c="dimmed">{t('openLink')}</Text>}
          {methods.data?.openid_connect === true && (
            <Anchor href="/console/openid-connect">{t('withOrganisation')}</Anchor>
          )}
        </Stack>
      </Card>
    </Center>
  );
}

function tokenOfAddress(): string {
  return location.pathname === PATH ? location.hash.slice(1) : '';
}

/** The address from before the sign-in in this tab, once; the first screen if there is none. */
function takeReturn(): string {
  const address = sessionStorage.getItem(RETURN) ?? '/console';
  sessionStorage.removeItem(RETURN);
  return address;
}
