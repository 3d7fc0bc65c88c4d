import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { TimeChart } from '../ui/time-chart.js';
import { ask, type LastHour } from './data.js';
import { countText, QueryState, secondsText } from './state.js';

const POLL_MILLISECONDS = 10_000;

/** Throughput and lag of the last hour, minute by minute. */
export function LastHourPart() {
  const { t } = useTranslation('operations');
  const query = useQuery({
    queryKey: ['last-hour'],
    queryFn: () => ask<LastHour>('/last-hour'),
    refetchInterval: POLL_MILLISECONDS,
  });
  return (
    <QueryState of={t('lastHourNoun')} query={query}>
      {({ minutes }) => <Charts minutes={minutes} />}
    </QueryState>
  );
}

function Charts({ minutes }: LastHour) {
  const { t } = useTranslation('operations');
  const times = minutes.map(({ at }) => at);
  const total = (name: 'events' | 'delivered' | 'failed'): number =>
    minutes.reduce((sum, minute) => sum + minute[name], 0);
  const longest = Math.max(...minutes.map(({ lag_seconds: lag }) => lag ?? 0));
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg">
        <TimeChart
          title={t('eventsAMinute')}
          summary={t('eventsSummary', { count: total('events') })}
          times={times}
          kind="bars"
          series={[{ name: t('events'), tone: 'main', values: minutes.map(({ events }) => events) }]}
          format={countText}
        />
        <TimeChart
          title={t('deliveriesAMinute')}
          summary={t('deliveriesSummary', { delivered: total('delivered'), failed: total('failed') })}
          times={times}
          kind="bars"
          series={[
            { name: t('delivered'), tone: 'main', values: minutes.map(({ delivered }) => delivered) },
            { name: t('failedForGood'), tone: 'bad', values: minutes.map(({ failed }) => failed) },
          ]}
          format={countText}
        />
        <TimeChart
          title={t('longestLag')}
          summary={t('lagSummary', { time: secondsText(longest) })}
          times={times}
          kind="lines"
          series={[{ name: t('lag'), tone: 'main', values: minutes.map(({ lag_seconds: lag }) => lag) }]}
          format={secondsText}
        />
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {t('lastHourHint')}
      </Text>
    </Stack>
  );
}
