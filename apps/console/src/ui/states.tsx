import { WorkforceError } from '@workforce-hr/client';
import { Alert, Button, Center, Code, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { hintOf, isMissing, messageOf, titleOf } from './failure-text.js';

/** Something is being read. */
export function Loading({ of }: { readonly of: string }) {
  const { t } = useTranslation();
  return (
    <Center mih={160} role="status">
      <Group gap="sm">
        <Loader size="sm" aria-hidden />
        <Text c="dimmed">{t('reading', { what: of })}</Text>
      </Group>
    </Center>
  );
}

interface ReadingProperties {
  readonly of: string;
  readonly query: { readonly isPending: boolean; readonly error: Error | null; readonly refetch: () => unknown };
}

/** The state of a read next to its content: in progress, or the reason for its failure. */
export function Reading({ of, query }: ReadingProperties) {
  if (query.isPending) return <Loading of={of} />;
  return query.error === null ? null : <Failure error={query.error} onRetry={() => void query.refetch()} />;
}

/** An empty state: the reason, and the next step. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <Center mih={160}>
      <Stack gap="xs" align="center" maw={460}>
        <Title order={2} size="h4">
          {title}
        </Title>
        {children !== undefined && (
          <Text c="dimmed" ta="center" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Center>
  );
}

/** A failure, and the id by which operators find the request. */
export function Failure({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const { t } = useTranslation();
  const requestId = error instanceof WorkforceError ? error.requestId : null;
  return (
    <Alert role="alert" color="red" icon={<IconAlertTriangle aria-hidden />} title={titleOf(error)}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{messageOf(error)}</Text>
        {hintOf(error) !== null && <Text size="sm">{hintOf(error)}</Text>}
        {error instanceof WorkforceError && error.details.length > 0 && (
          <ul>
            {error.details.map(({ field, issue }) => (
              <li key={`${field} ${issue}`}>
                <Code>{field}</Code> {issue}
              </li>
            ))}
          </ul>
        )}
        {requestId !== null && (
          <Text size="xs" c="dimmed">
            {t('request')} <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry !== undefined && !isMissing(error) && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The user's role may not open this. */
export function NotPermitted({ what }: { readonly what: string }) {
  const { t } = useTranslation();
  return (
    <Center mih={200}>
      <Stack gap="xs" align="center">
        <IconLock aria-hidden />
        <Title order={1} size="h4" ta="center">
          {t('notPermitted', { what })}
        </Title>
      </Stack>
    </Center>
  );
}
