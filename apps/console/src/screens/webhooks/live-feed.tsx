import { Button, Card, Code, Group, Table, Text, Title } from '@mantine/core';
import { StateBadge } from '../../ui/state-badge.js';
import { useEffect, useState } from 'react';

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
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Events as they happen, newest first. */
export function LiveFeed() {
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
    <Card withBorder component="section" aria-label="Live" padding="md">
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={2} size="h5">
            Live
          </Title>
          <StateBadge tone={isOpen ? 'good' : 'quiet'}>
            {isPaused ? 'paused' : isOpen ? 'following' : 'connecting'}
          </StateBadge>
        </Group>
        <Button size="compact-sm" variant="default" onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? 'Follow' : 'Pause'}
        </Button>
      </Group>
      {events.length === 0 ? (
        <Text size="sm" c="dimmed" mt="xs">
          New events appear here, with or without a subscription.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={460} mt="xs">
          <Table verticalSpacing={3} aria-label="Events, newest first">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Time</Table.Th>
                <Table.Th>Type</Table.Th>
                <Table.Th>Resource</Table.Th>
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
