import { Alert, Button, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLocale } from '../data/locale.js';
import { Loading } from '../ui/states.js';
import { isOutage } from '../data/connection.js';

/** The state of the address after `#`, so that a view can be sent to a colleague. */
export type View = Readonly<Record<string, string | undefined>>;

const subscribe = (onChange: () => void): (() => void) => {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
};

/** The view, and its setter; `undefined` removes a name. */
export function useView(): readonly [View, (change: View) => void] {
  const text = useSyncExternalStore(subscribe, () => location.hash.slice(1));
  const change = useCallback((requested: View) => {
    const former = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    const entries = Object.entries({ ...former, ...requested }).filter(
      (entry): entry is [string, string] => (entry[1] ?? '') !== '',
    );
    location.hash = new URLSearchParams(entries).toString();
  }, []);
  return [Object.fromEntries(new URLSearchParams(text)), change];
}

interface QueryStateProperties<Document> {
  readonly of: string;
  readonly query: UseQueryResult<Document>;
  readonly children: (document: Document) => ReactNode;
}

/**
 * Shows the data; while it is read, a loading state; and next to existing data, that it could not be read
 * again.
 */
export function QueryState<Document>({ of, query, children }: QueryStateProperties<Document>) {
  return (
    <Stack gap="sm">
      {query.isPending && <Loading of={of} />}
      {query.error !== null && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && children(query.data)}
    </Stack>
  );
}

/** The failure, in the words of the listener. */
export function Problem({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const { t } = useTranslation('operations');
  const text = isOutage(error) ? t('unreachable') : error.message;
  return (
    <Alert color="red" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Seconds in short form: 0.4 s, 3 min 20 s. */
export function secondsText(seconds: number): string {
  if (seconds < 60) return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0)).toLocaleString(currentLocale())} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Whole numbers with thousands separators. */
export const countText = (count: number | null): string =>
  count === null ? '–' : count.toLocaleString(currentLocale());
