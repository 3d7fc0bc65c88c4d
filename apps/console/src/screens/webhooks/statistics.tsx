import { Card, Group, SegmentedControl, SimpleGrid, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { currentLocale } from '../../data/locale.js';
import { readFromConsole } from '../../data/session.js';
import { Reading } from '../../ui/states.js';
import { TimeChart } from '../../ui/time-chart.js';

/** The attempts of an endpoint in parts of a period (docs/reference/webhooks.md). */
interface AttemptStatistics {
  readonly parts: readonly {
    readonly at: string;
    readonly attempts: number;
    readonly failed: number;
    readonly median_ms: number | null;
    readonly slow_ms: number | null;
  }[];
}

const PERIODS = ['hour', 'day', 'week', 'month'] as const;
type Period = (typeof PERIODS)[number];
const REFETCH_MILLISECONDS = 20_000;

const isPeriod = (text: string | undefined): text is Period => PERIODS.includes(text as Period);
const number = new Intl.NumberFormat(currentLocale());
const percent = new Intl.NumberFormat(currentLocale(), { style: 'percent', maximumFractionDigits: 1 });
const milliseconds = new Intl.NumberFormat(currentLocale(), { style: 'unit', unit: 'millisecond' });

/** Charts of the attempts of one endpoint, or of all. */
export function Statistics({ webhookId }: { readonly webhookId?: string }) {
  const { t } = useTranslation('webhooks');
  const [{ period: chosen }, change] = useAddress<{ period?: string | undefined }>();
  const period = isPeriod(chosen) ? chosen : 'day';
  const query = new URLSearchParams({ period, ...(webhookId === undefined ? {} : { webhook_id: webhookId }) });
  const statistics = useQuery({
    queryKey: ['webhook-statistics', webhookId, period],
    queryFn: () => readFromConsole<AttemptStatistics>(`/console/webhooks/statistics?${query.toString()}`),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MILLISECONDS,
  });
  return (
    <Card withBorder component="section" aria-label={t('statistics')} padding="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('statistics')}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={t('period')}
          data={PERIODS.map((value) => ({ value, label: t(`periods.${value}`) }))}
          value={period}
          onChange={(value) => change({ period: value === 'day' ? undefined : value })}
        />
      </Group>
      <Reading of={t('statisticsNoun')} query={statistics} />
      {statistics.data !== undefined && <Charts parts={statistics.data.parts} />}
    </Card>
  );
}

function Charts({ parts }: AttemptStatistics) {
  const { t } = useTranslation('webhooks');
  const sum = (name: 'attempts' | 'failed'): number => parts.reduce((all, part) => all + part[name], 0);
  const [attempts, failed] = [sum('attempts'), sum('failed')];
  if (attempts === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('noAttempts')}
      </Text>
    );
  const times = parts.map(({ at }) => at);
  const slowest = Math.max(...parts.map(({ slow_ms }) => slow_ms ?? 0));
  const share = (part: { readonly attempts: number; readonly failed: number }) =>
    part.attempts === 0 ? null : part.failed / part.attempts;
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
      <TimeChart
        title={t('attempts')}
        summary={t('attemptsSummary', { count: attempts, failed })}
        times={times}
        kind="bars"
        series={[
          { name: t('accepted'), tone: 'main', values: parts.map((part) => part.attempts - part.failed) },
          { name: t('failedAttempts'), tone: 'bad', values: parts.map((part) => part.failed) },
        ]}
        format={(value) => number.format(value)}
      />
      <TimeChart
        title={t('latency')}
        summary={t('latencySummary', { time: milliseconds.format(slowest) })}
        times={times}
        kind="lines"
        series={[
          { name: t('median'), tone: 'main', values: parts.map(({ median_ms }) => median_ms) },
          { name: t('slow'), tone: 'quiet', values: parts.map(({ slow_ms }) => slow_ms) },
        ]}
        format={(value) => milliseconds.format(Math.round(value))}
      />
      <TimeChart
        title={t('failureRate')}
        summary={t('failureSummary', { share: percent.format(failed / attempts) })}
        times={times}
        kind="bars"
        series={[{ name: t('failedAttempts'), tone: 'bad', values: parts.map(share) }]}
        format={(value) => percent.format(value)}
      />
    </SimpleGrid>
  );
}
