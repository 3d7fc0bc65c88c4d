import { Button, Card, Code, Group, Table, Text, Title } from '@mantine/core';
import { StateBadge } from '../../ui/state-badge.js';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLocale } from '../../data/locale.js';

/** One event of the feed, see docs/reference/access.md. */
interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly occurred_at: string;
  readonly data: { readonly id: string; readonly resource_type: string };
}

const MAX_DISPLAYED_EVENTS = 50;
/** The delay before reconnecting to a feed that was refused, in milliseconds. */
const PAUSE = 5_000;
const TIME = new Intl.DateTimeFormat(currentLocale(), { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Events as they happen, newest first. */
export function LiveFeed() {
  const { t } = useTranslation('webhooks');
  const [isPaused, setIsPaused] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [events, setEvents] = useState<readonly FeedEvent[]>([]);
  useEffect(() => {
    if (isPaused) return undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const source = new EventSource('/console/events');
    source.onopen = () => setIsOpen(true);
    source.onerror = () => {
      setIsOpen(false);
      // The browser reconnects after a broken connection, but not after an error response, such as from a
      // proxy during an outage.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(() => setAttempt((former) => former + 1), PAUSE);
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as FeedEvent;
      setEvents((former) => [event, ...former].slice(0, MAX_DISPLAYED_EVENTS));
    };
    return () => {
      clearTimeout(again);
      source.close();
      setIsOpen(false);
    };
  }, [isPaused, attempt]);
  return (
    <Card withBorder component="section" aria-label={t('live')} padding="md">
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={2} size="h5">
            {t('live')}
          </Title>
          <StateBadge tone={isOpen ? 'good' : 'quiet'}>
            {isPaused ? t('paused') : isOpen ? t('following') : t('connecting')}
          </StateBadge>
        </Group>
        <Button size="compact-sm" variant="default" onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? t('follow') : t('pause')}
        </Button>
      </Group>
      {events.length === 0 ? (
        <Text size="sm" c="dimmed" mt="xs">
          {t('newEventsHere')}
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={460} mt="xs">
          <Table verticalSpacing={3} aria-label={t('eventsNewestFirst')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('time')}</Table.Th>
                <Table.Th>{t('type')}</Table.Th>
                <Table.Th>{t('resource')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {events.map(({ id, type, occurred_at, data }) => (
                <Table.Tr key={id}>
                  <Table.Td>{TIME.format(new Date(occurred_at))}</Table.Td>
                  <Table.Td>{type}</Table.Td>
                  <Table.Td>
                    <Code>{data.id}</Code>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}
