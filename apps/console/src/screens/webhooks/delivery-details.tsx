import { Button, Card, Code, CopyButton, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { sendToConsole, readFromConsole } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Failure, Loading } from '../../ui/states.js';
import { curlOf, type Exchange, type Exchanges, type HeaderLines } from './exchange.js';
import { StatusBadge } from './status-badge.js';

type Attempt = Schemas['DeliveryWithAttemptsResponse']['attempts'][number];

interface DeliveryProperties {
  readonly webhookId: string;
  readonly deliveryId: string;
}

const REFETCH_MILLISECONDS = 5_000;

/** One delivery: its body, and each attempt with what was sent and received in the last day. */
export function DeliveryDetails({ webhookId, deliveryId }: DeliveryProperties) {
  const { t } = useTranslation('webhooks');
  const path = { webhookId, deliveryId };
  const route = `/console/webhooks/${webhookId}/deliveries/${deliveryId}`;
  const read = useQuery({
    queryKey: ['webhook-delivery', webhookId, deliveryId],
    queryFn: () => answerOf(client.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params: { path } })),
    refetchInterval: REFETCH_MILLISECONDS,
  });
  const attempts = read.data?.data.attempts ?? [];
  const exchanges = useQuery({
    queryKey: ['webhook-exchanges', webhookId, deliveryId, attempts.length],
    queryFn: () => readFromConsole<Exchanges>(`${route}/exchanges`),
    enabled: read.isSuccess,
  });
  const write = useWrite((body: Record<string, never>, headers) =>
    sendToConsole<object>('POST', `${route}/redeliver`, body, headers),
  );
  if (read.isPending) return <Loading of={t('deliveryNoun')} />;
  if (read.isError) return <Failure error={read.error} onRetry={() => void read.refetch()} />;
  const { event_type: type, event_id: event, resource, status, next_attempt_at: next } = read.data.data;
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{type}</Text>
          <StatusBadge status={status} />
        </Group>
        <Button size="xs" disabled={status === 'pending'} loading={write.isPending} onClick={() => write.mutate({})}>
          {t('redeliver')}
        </Button>
      </Group>
      {write.isError && <Failure error={write.error} />}
      <Text size="xs" c="dimmed">
        {t('event')} <Code>{event}</Code>
        {resource !== null && (
          <>
            {' '}
            {t('about')} <Code>{resource.id}</Code>
          </>
        )}
        {next !== null && ` · ${t('nextAttempt', { time: dateTimeFormat(next) })}`}
      </Text>
      {exchanges.isError && <Failure error={exchanges.error} />}
      {exchanges.data !== undefined && <Content label={t('bodyAsSent')} text={exchanges.data.body} />}
      {attempts.length === 0 && <Text size="sm">{t('noAttemptEnded')}</Text>}
      {attempts.toReversed().map((attempt, index) => (
        <AttemptCard
          key={attempt.number}
          attempt={attempt}
          isOpenAtFirst={index === 0}
          isRead={exchanges.isSuccess}
          exchange={exchanges.data?.attempts.find(({ number }) => number === attempt.number)}
          delivery={exchanges.data}
        />
      ))}
    </Stack>
  );
}

interface AttemptCardProperties {
  readonly attempt: Attempt;
  readonly isOpenAtFirst: boolean;
  readonly isRead: boolean;
  readonly exchange: Exchange | undefined;
  readonly delivery: Exchanges | undefined;
}

function AttemptCard({ attempt, isOpenAtFirst, isRead, exchange, delivery }: AttemptCardProperties) {
  const { t } = useTranslation('webhooks');
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const { number, started_at: at, duration_ms: duration, http_status: status, failure_message: message } = attempt;
  return (
    <Card withBorder padding="sm" component="section" aria-label={t('attemptNumber', { number })}>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {number}. {dateTimeFormat(at)}
        </Text>
        <Group gap="xs">
          <StateBadge tone={message === null ? 'good' : 'bad'}>{status ?? t('noAnswer')}</StateBadge>
          <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {t('contents')}
          </Button>
        </Group>
      </Group>
      <Text size="xs" c="dimmed">
        {[t('milliseconds', { value: duration }), ...(message === null ? [] : [message])].join(' · ')}
        {exchange !== undefined && ` · ${timingOf(t, exchange)}`}
      </Text>
      {isOpen && isRead && exchange === undefined && (
        <Text size="sm" mt="xs">
          {t('notKept')}
        </Text>
      )}
      {isOpen && exchange !== undefined && <Details exchange={exchange} delivery={delivery!} />}
    </Card>
  );
}

function Details({ exchange, delivery }: { readonly exchange: Exchange; readonly delivery: Exchanges }) {
  const { t } = useTranslation('webhooks');
  const { url, request_headers: headers, answer } = exchange;
  return (
    <Stack gap="xs" mt="xs">
      <Group justify="space-between">
        <Title order={3} size="h6">
          {t('request')}
        </Title>
        {headers !== null && <Copy label={t('copyAsCurl')} text={curlOf(delivery.method, delivery.body, exchange)} />}
      </Group>
      <Code style={{ overflowWrap: 'anywhere' }}>
        {delivery.method} {url}
      </Code>
      {headers === null ? <Text size="sm">{t('nothingWasSent')}</Text> : <Headers label={t('request')} of={headers} />}
      <Title order={3} size="h6">
        {t('answer')}
      </Title>
      {answer === null ? (
        <Text size="sm">{t('noAnswer')}</Text>
      ) : (
        <>
          <Code>HTTP {answer.status}</Code>
          <Headers label={t('answer')} of={answer.headers} />
          {answer.body === '' ? (
            <Text size="sm">{t('emptyBody')}</Text>
          ) : (
            <Content label={answer.is_body_complete ? t('body') : t('bodyBeginning')} text={answer.body} />
          )}
        </>
      )}
      <Text size="xs" c="dimmed">
        {t('keptForADay')}
      </Text>
    </Stack>
  );
}

function Headers({ label, of: lines }: { readonly label: string; readonly of: HeaderLines }) {
  const { t } = useTranslation('webhooks');
  return (
    <Table verticalSpacing={2} withRowBorders={false} aria-label={t('headersOf', { what: label })} layout="fixed">
      <Table.Tbody>
        {lines.map(([name, value], index) => (
          <Table.Tr key={`${name} ${index}`}>
            <Table.Th scope="row" fw={500} fz="xs" w="40%" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Table.Th>
            <Table.Td fz="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Content({ label, text }: { readonly label: string; readonly text: string }) {
  const { t } = useTranslation('webhooks');
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="xs" fw={500}>
          {label}
        </Text>
        <Copy label={t('copy')} text={text} />
      </Group>
      <Code block tabIndex={0} aria-label={label} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {indented(text)}
      </Code>
    </Stack>
  );
}

/** JSON on several lines; any other text unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Copy({ label, text }: { readonly label: string; readonly text: string }) {
  const { t } = useTranslation('webhooks');
  return (
    <CopyButton value={text} timeout={4_000}>
      {({ copied, copy }) => (
        <Button
          size="compact-xs"
          variant="default"
          onClick={copy}
          leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          aria-live="polite"
        >
          {copied ? t('copied') : label}
        </Button>
      )}
    </CopyButton>
  );
}

type Texts = ReturnType<typeof useTranslation<'webhooks'>>['t'];

/** The time of each step that was reached. */
function timingOf(
  t: Texts,
  { resolved_ms: resolved, connected_ms: connected, answered_ms: answered }: Exchange,
): string {
  const steps = [
    ['resolved', resolved, 0],
    ['connected', connected, resolved],
    ['answered', answered, connected],
  ] as const;
  return steps
    .flatMap(([name, at, before]) =>
      at === null || before === null ? [] : [t(`steps.${name}`, { value: at - before })],
    )
    .join(', ');
}
