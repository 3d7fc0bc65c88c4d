import { Badge, Button, Group, Modal, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dateTimeFormat } from '../data/days.js';
import { ask, type Projection, type Projections, type RebuildProgress, type RebuildRequest } from './data.js';
import classes from './operations.module.css';
import { countText, Problem, secondsText, QueryState, type View } from './state.js';

const POLL_MILLISECONDS = 3_000;
const POLL_DURING_REBUILDS_MILLISECONDS = 500;
/** The lag from which `/health` reports it (docs/how-to/watch-it.md). */
const LONG_LAG_SECONDS = 30;
const LOOKS = {
  queued: { label: 'Waits', color: 'gray' },
  running: { label: 'Runs', color: 'blue' },
  done: { label: 'Done', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
} as const;

const isOpen = ({ state }: RebuildRequest): boolean => state === 'queued' || state === 'running';

/** The state of read tables, and their rebuilds. */
export function ProjectionsPart({ onView }: { readonly onView: (change: View) => void }) {
  const query = useQuery({
    queryKey: ['projections'],
    queryFn: () => ask<Projections>('/projections'),
    refetchInterval: ({ state }) =>
      state.data?.requests.some(isOpen) === true ? POLL_DURING_REBUILDS_MILLISECONDS : POLL_MILLISECONDS,
  });
  const [requested, setWanted] = useState<string | null>(null);
  return (
    <QueryState of="projections" query={query}>
      {({ projections, requests }) => (
        <>
          <Table.ScrollContainer minWidth={680}>
            <Table verticalSpacing={6} highlightOnHover aria-label="Projections">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Projection</Table.Th>
                  <Table.Th>Behind</Table.Th>
                  <Table.Th>Up to</Table.Th>
                  <Table.Th w={300}>Rebuild</Table.Th>
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
            up to date
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
            aria-label={`Events after position ${shortPosition(position)}`}
          >
            {shortPosition(position)}
          </Button>
        )}
      </Table.Td>
      <Table.Td>
        {rebuild !== null && <RebuildBar name={name} progress={rebuild} isRunning={request?.state === 'running'} />}
        {rebuild === null && request !== undefined && (
          <Text size="sm" role="status">
            {request.state === 'queued' ? 'Waits for a worker…' : 'Begins…'}
          </Text>
        )}
        {request === undefined && (
          <Button variant="default" size="compact-xs" onClick={onRebuild} aria-label={`Rebuild ${name}`}>
            Rebuild…
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
  const rest =
    phase === 'completing' ? 'indexes and the comparison are left' : left === null ? '' : `${secondsText(left)} left`;
  const parts = [
    `${countText(events)} events`,
    speed === null ? '' : `${countText(speed)} a second`,
    rest,
    isRunning ? '' : 'by another process, or interrupted',
  ];
  return (
    <Stack gap={2} role="status">
      <Progress
        value={ratio * 100}
        striped={phase === 'completing'}
        animated={isRunning}
        aria-label={`Rebuild of ${name}`}
      />
      <Text size="xs" c="dimmed">
        {parts.filter((part) => part !== '').join(' · ')}
      </Text>
    </Stack>
  );
}

function Confirmation({ name, onClose }: { readonly name: string | null; readonly onClose: () => void }) {
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
      title={`Rebuild ${name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Text size="sm">
          A worker builds new tables from the events, and then swaps them with the present ones. Reads and writes
          continue. It costs processor time and space for a second copy.
        </Text>
        {asking.isError && <Problem error={asking.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Not now
          </Button>
          <Button onClick={() => name !== null && asking.mutate(name)} loading={asking.isPending} data-autofocus>
            Rebuild
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Requests({ requests }: { readonly requests: readonly RebuildRequest[] }) {
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">
        Rebuilds requested here
      </Title>
      <Table.ScrollContainer minWidth={680}>
        <Table verticalSpacing={4} aria-label="Requested rebuilds">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Asked for</Table.Th>
              <Table.Th>Projection</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th ta="right">Events</Table.Th>
              <Table.Th ta="right">Rows</Table.Th>
              <Table.Th ta="right">Corrected</Table.Th>
              <Table.Th ta="right">Took</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {requests.map(({ id, requested_at: at, projection, state, events, rows, differences, seconds }) => (
              <Table.Tr key={id}>
                <Table.Td className={classes.time!}>{dateTimeFormat(at)}</Table.Td>
                <Table.Td>{projection}</Table.Td>
                <Table.Td>
                  <Badge variant="light" color={LOOKS[state].color} className={classes.badge!}>
                    {LOOKS[state].label}
                  </Badge>
                  {state === 'failed' && (
                    <Text size="xs" c="dimmed">
                      see the log of the worker
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
