import { Anchor, Badge, Card, Group, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Trans, useTranslation } from 'react-i18next';
import { dateTimeFormat } from '../data/days.js';
import { ask, type Deliveries, type Engines } from './data.js';
import classes from './operations.module.css';
import { countText, QueryState } from './state.js';

const NAMES: Readonly<Record<string, string>> = {
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  eventstoredb: 'EventStoreDB',
};

/** The engines of the installation, as reachable from this process. */
export function EnginesPart() {
  const { t } = useTranslation('operations');
  const query = useQuery({ queryKey: ['engines'], queryFn: () => ask<Engines>('/engines'), refetchInterval: 5_000 });
  return (
    <QueryState of={t('enginesNoun')} query={query}>
      {({ engines }) => (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          {engines.map(({ name, does, is_up: isUp, version, latency_ms: latency, message }) => (
            <Card key={name} withBorder padding="md">
              <Group justify="space-between">
                <Text fw={600} component="h2" m={0}>
                  {NAMES[name] ?? name} {version}
                </Text>
                <Badge variant="light" color={isUp ? 'teal' : 'red'} className={classes.badge!}>
                  {isUp ? t('answers') : t('away')}
                </Badge>
              </Group>
              <Text size="sm" c="dimmed">
                {does}
              </Text>
              {latency !== null && <Text size="sm">{t('latency', { value: latency })}</Text>}
              {message !== null && <Text size="sm">{message}</Text>}
            </Card>
          ))}
        </SimpleGrid>
      )}
    </QueryState>
  );
}

/** Waiting deliveries of all organisations, and endpoints that need attention. */
export function DeliveriesPart() {
  const { t } = useTranslation('operations');
  const query = useQuery({
    queryKey: ['deliveries'],
    queryFn: () => ask<Deliveries>('/deliveries?limit=200'),
    refetchInterval: 5_000,
  });
  return (
    <QueryState of={t('deliveriesNoun')} query={query}>
      {({ summary, endpoints }) => (
        <Stack gap="md">
          <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
            <Figure label={t('due')} value={countText(summary.deliveries.pending)} />
            <Figure label={t('waitForAttempt')} value={countText(summary.deliveries.retry_scheduled)} />
            <Figure label={t('failedForGood')} value={countText(summary.deliveries.failed)} />
            <Figure label={t('endpointsThatFail')} value={countText(summary.endpoints['failing'] ?? 0)} />
          </SimpleGrid>
          <Text size="sm" c="dimmed">
            {summary.oldest_due_at === null
              ? t('nothingDue')
              : t('oldestDue', { time: dateTimeFormat(summary.oldest_due_at) })}{' '}
            <Trans
              ns="operations"
              i18nKey="dashboardHint"
              components={{ board: <Anchor href="/queues" size="sm" underline="always" /> }}
            />
          </Text>
          {endpoints.length === 0 ? (
            <Text c="dimmed">{t('allAccept')}</Text>
          ) : (
            <Table.ScrollContainer minWidth={680}>
              <Table verticalSpacing={6} aria-label={t('endpointsThatNeedAttention')}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('organisation')}</Table.Th>
                    <Table.Th>{t('endpoint')}</Table.Th>
                    <Table.Th>{t('state')}</Table.Th>
                    <Table.Th ta="right">{t('wait')}</Table.Th>
                    <Table.Th ta="right">{t('failed')}</Table.Th>
                    <Table.Th>{t('lastFailure')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {endpoints.map(({ organisation, webhook_id: id, name, state, deliveries, last_failure: failure }) => (
                    <Table.Tr key={id}>
                      <Table.Td>{organisation.subdomain ?? organisation.id}</Table.Td>
                      <Table.Td>{name}</Table.Td>
                      <Table.Td>
                        <Badge variant="light" color={state === 'failing' ? 'red' : 'gray'} className={classes.badge!}>
                          {t(`endpointStates.${state}`)}
                        </Badge>
                      </Table.Td>
                      <Table.Td className={classes.count!}>
                        {countText(deliveries.pending + deliveries.retry_scheduled)}
                      </Table.Td>
                      <Table.Td className={classes.count!}>{countText(deliveries.failed)}</Table.Td>
                      <Table.Td>
                        {failure === null ? '' : `${failure.message ?? ''}, ${dateTimeFormat(failure.at)}`}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
        </Stack>
      )}
    </QueryState>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <Card withBorder padding="sm">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600}>
        {value}
      </Text>
    </Card>
  );
}
