import { Badge, Button, Group, Modal, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTimeFormat } from '../data/days.js';
import { formatOf } from '../data/locale.js';
import { ask, type Projection, type Projections, type RebuildProgress, type RebuildRequest } from './data.js';
import classes from './operations.module.css';
import { countText, Problem, secondsText, QueryState, type View } from './state.js';

const POLL_MILLISECONDS = 3_000;
const POLL_DURING_REBUILDS_MILLISECONDS = 500;
/** The lag from which `/health` reports it (docs/how-to/watch-it.md). */
const LONG_LAG_SECONDS = 30;
const COLORS = {
  queued: 'gray',
  running: 'blue',
  done: 'teal',
  failed: 'red',
} as const;

/** The time of the day at which a rebuild will probably end. */
const clockText = formatOf({ hour: '2-digit', minute: '2-digit' });

const isOpen = ({ state }: RebuildRequest): boolean => state === 'queued' || state === 'running';

/** The state of read tables, and their rebuilds. */
export function ProjectionsPart({ onView }: { readonly onView: (change: View) => void }) {
  const { t } = useTranslation('operations');
  const query = useQuery({
    queryKey: ['projections'],
    queryFn: () => ask<Projections>('/projections'),
    refetchInterval: ({ state }) =>
      state.data?.requests.some(isOpen) === true ? POLL_DURING_REBUILDS_MILLISECONDS : POLL_MILLISECONDS,
  });
  const [requested, setWanted] = useState<string | null>(null);
  return (
    <QueryState of={t('projectionsNoun')} query={query}>
      {({ projections, requests }) => (
        <>
          <Table.ScrollContainer minWidth={680}>
            <Table verticalSpacing={6} highlightOnHover aria-label={t('parts.projections')}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('projection')}</Table.Th>
                  <Table.Th>{t('behind')}</Table.Th>
                  <Table.Th>{t('upTo')}</Table.Th>
                  <Table.Th w={300}>{t('rebuild')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {projections.map((projection) => (
                  <Row
                    key={projection.name}
                    projection={projection}
                    request={requests.find((request) => request.projection === projection.name && isOpen(request))}
                    onRebuild={() => setWanted(projection.name)}
                    onPosition={(after) => onView({ part: 'events', after, before: undefined, stream: undefined })}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {requests.length > 0 && <Requests requests={requests} />}
          <Confirmation name={requested} onClose={() => setWanted(null)} />
        </>
      )}
    </QueryState>
  );
}

interface RowProperties {
  readonly projection: Projection;
  readonly request: RebuildRequest | undefined;
  readonly onRebuild: () => void;
  readonly onPosition: (position: string) => void;
}

function Row({
  projection: { name, position, lag_seconds: lag, tables, rebuild },
  request,
  onRebuild,
  onPosition,
}: RowProperties) {
  const { t } = useTranslation('operations');
  return (
    <Table.Tr>
      <Table.Td>
        {name}
        {tables.join() !== name && (
          <Text size="xs" c="dimmed">
            {tables.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td className={classes.time!}>
        {lag === 0 ? (
          <Text size="sm" c="dimmed">
            {t('upToDate')}
          </Text>
        ) : (
          <Badge variant="light" color={lag > LONG_LAG_SECONDS ? 'red' : 'orange'} className={classes.badge!}>
            {secondsText(lag)}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>
        {position !== null && (
          <Button
            variant="subtle"
            size="compact-xs"
            className={classes.code!}
            onClick={() => onPosition(position)}
            aria-label={t('eventsAfter', { position: shortPosition(position) })}
          >
            {shortPosition(position)}
          </Button>
        )}
      </Table.Td>
      <Table.Td>
        {rebuild !== null && <RebuildBar name={name} progress={rebuild} isRunning={request?.state === 'running'} />}
        {rebuild === null && request !== undefined && (
          <Text size="sm" role="status">
            {request.state === 'queued' ? t('waitsForWorker') : t('begins')}
          </Text>
        )}
        {request === undefined && (
          <Button variant="default" size="compact-xs" onClick={onRebuild} aria-label={t('rebuildOf', { name })}>
            {t('rebuildAction')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function RebuildBar({
  name,
  progress,
  isRunning,
}: {
  readonly name: string;
  readonly progress: RebuildProgress;
  readonly isRunning: boolean;
}) {
  const { phase, ratio, events, events_per_second: speed, seconds_left: left } = progress;
  const { t } = useTranslation('operations');
  const rest =
    phase === 'completing'
      ? t('completing')
      : left === null
        ? ''
        : t('left', { time: secondsText(left), end: clockText(new Date(Date.now() + left * 1_000)) });
  const parts = [
    t('eventCount', { count: events }),
    speed === null ? '' : t('aSecond', { count: speed }),
    rest,
    isRunning ? '' : t('byAnother'),
  ];
  return (
    <Stack gap={2} role="status">
      <Progress
        value={ratio * 100}
        striped={phase === 'completing'}
        animated={isRunning}
        aria-label={t('progressOf', { name })}
      />
      <Text size="xs" c="dimmed">
        {parts.filter((part) => part !== '').join(' · ')}
      </Text>
    </Stack>
  );
}

function Confirmation({ name, onClose }: { readonly name: string | null; readonly onClose: () => void }) {
  const { t } = useTranslation('operations');
  const queryClient = useQueryClient();
  const asking = useMutation({
    mutationFn: (projection: string) => ask(`/projections/${projection}/rebuild`, 'POST'),
    onSuccess: () => onClose(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['projections'] }),
  });
  return (
    <Modal
      opened={name !== null}
      onClose={onClose}
      onExitTransitionEnd={asking.reset}
      title={t('rebuildQuestion', { name })}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack gap="sm">
        <Text size="sm">{t('rebuildHint')}</Text>
        {asking.isError && <Problem error={asking.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('notNow')}
          </Button>
          <Button onClick={() => name !== null && asking.mutate(name)} loading={asking.isPending} data-autofocus>
            {t('rebuild')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Requests({ requests }: { readonly requests: readonly RebuildRequest[] }) {
  const { t } = useTranslation('operations');
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">
        {t('requestedHere')}
      </Title>
      <Table.ScrollContainer minWidth={680}>
        <Table verticalSpacing={4} aria-label={t('requestedRebuilds')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('askedFor')}</Table.Th>
              <Table.Th>{t('projection')}</Table.Th>
              <Table.Th>{t('state')}</Table.Th>
              <Table.Th ta="right">{t('events')}</Table.Th>
              <Table.Th ta="right">{t('rows')}</Table.Th>
              <Table.Th ta="right">{t('corrected')}</Table.Th>
              <Table.Th ta="right">{t('took')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {requests.map(({ id, requested_at: at, projection, state, events, rows, differences, seconds }) => (
              <Table.Tr key={id}>
                <Table.Td className={classes.time!}>{dateTimeFormat(at)}</Table.Td>
                <Table.Td>{projection}</Table.Td>
                <Table.Td>
                  <Badge variant="light" color={COLORS[state]} className={classes.badge!}>
                    {t(`rebuildStates.${state}`)}
                  </Badge>
                  {state === 'failed' && (
                    <Text size="xs" c="dimmed">
                      {t('seeLog')}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td className={classes.count!}>{countText(events)}</Table.Td>
                <Table.Td className={classes.count!}>{countText(rows)}</Table.Td>
                <Table.Td className={classes.count!}>{countText(differences)}</Table.Td>
                <Table.Td className={classes.count!}>{seconds === null ? '–' : secondsText(seconds)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

/** A position without the leading zeros of its two numbers. */
export function shortPosition(position: string): string {
  return position.replace(/(^|\.)0+(?=\d)/g, '$1');
}
