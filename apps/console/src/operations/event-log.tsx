import { Badge, Button, Group, Stack, Table, Text, TextInput, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, type FormEvent, useState } from 'react';
import { ask, type LoggedEvent, type LogPage, type StreamPage } from './data.js';
import classes from './operations.module.css';
import { shortPosition } from './projections.js';
import { QueryState, type View } from './state.js';

const PAGE_SIZE = 50;
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

interface PartProperties {
  readonly view: View;
  readonly onView: (change: View) => void;
}

/** The log, by stream or by position: types, times and actors of events. The listener returns no values. */
export function EventLog({ view, onView }: PartProperties) {
  const { stream, after, before, from } = view;
  const [typed, setTyped] = useState(stream ?? '');
  const go = (event: FormEvent): void => {
    event.preventDefault();
    onView({ part: 'events', stream: typed.trim(), after: undefined, before: undefined, from: undefined });
  };
  const openStream = (name: string): void => {
    setTyped(name);
    onView({ part: 'events', stream: name, after: undefined, before: undefined, from: undefined });
  };
  const isWhole = stream === undefined && after === undefined && before === undefined;
  return (
    <Stack gap="sm">
      <form onSubmit={go}>
        <Group gap="xs" align="flex-end">
          <TextInput
            label="Stream"
            placeholder="people-org_….…, or empty for the whole log"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            flex={1}
            miw={220}
            maw={640}
            spellCheck={false}
          />
          <Button type="submit">Show</Button>
          {!isWhole && (
            <Button
              variant="default"
              onClick={() => {
                setTyped('');
                onView({ part: 'events', stream: undefined, after: undefined, before: undefined, from: undefined });
              }}
            >
              Newest of all
            </Button>
          )}
        </Group>
      </form>
      {stream === undefined ? (
        <CompleteLog after={after} before={before} onView={onView} onStream={openStream} />
      ) : (
        <OneStream stream={stream} from={from} onView={onView} onStream={openStream} />
      )}
    </Stack>
  );
}

interface CompleteLogProperties {
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly onView: (change: View) => void;
  readonly onStream: (stream: string) => void;
}

function CompleteLog({ after, before, onView, onStream }: CompleteLogProperties) {
  const place = after !== undefined ? `&after=${after}` : before !== undefined ? `&before=${before}` : '';
  const query = useQuery({
    queryKey: ['events', place],
    queryFn: () => ask<LogPage>(`/events?limit=${PAGE_SIZE}${place}`),
    placeholderData: keepPreviousData,
    ...(place === '' ? { refetchInterval: 3_000 } : {}),
  });
  return (
    <QueryState of="the log" query={query}>
      {(page) => (
        <>
          {page.events.length === 0 ? (
            <Text c="dimmed">There is no event here.</Text>
          ) : (
            <Events events={page.events.toReversed()} onStream={onStream} />
          )}
          <Group gap="xs">
            <Button
              variant="default"
              disabled={page.after === null}
              onClick={() => onView({ part: 'events', after: page.after!, before: undefined })}
            >
              Newer
            </Button>
            <Button
              variant="default"
              disabled={page.before === null}
              onClick={() => onView({ part: 'events', before: page.before!, after: undefined })}
            >
              Older
            </Button>
          </Group>
        </>
      )}
    </QueryState>
  );
}

interface OneStreamProperties {
  readonly stream: string;
  readonly from: string | undefined;
  readonly onView: (change: View) => void;
  readonly onStream: (stream: string) => void;
}

function OneStream({ stream, from, onView, onStream }: OneStreamProperties) {
  const path = `/events?stream=${encodeURIComponent(stream)}&limit=${PAGE_SIZE}${from === undefined ? '' : `&from=${from}`}`;
  const query = useQuery({
    queryKey: ['events', path],
    queryFn: () => ask<StreamPage>(path),
    placeholderData: keepPreviousData,
  });
  return (
    <QueryState of="the stream" query={query}>
      {(page) => (
        <>
          {page.events.length === 0 ? (
            <Text c="dimmed">There is no such stream.</Text>
          ) : (
            <Events events={page.events} onStream={onStream} />
          )}
          <Group gap="xs">
            <Button variant="default" disabled={from === undefined} onClick={() => onView({ from: undefined })}>
              Newest
            </Button>
            <Button
              variant="default"
              disabled={page.next_from === null}
              onClick={() => onView({ from: String(page.next_from) })}
            >
              Older
            </Button>
          </Group>
        </>
      )}
    </QueryState>
  );
}

function Events({
  events,
  onStream,
}: {
  readonly events: readonly LoggedEvent[];
  readonly onStream: (stream: string) => void;
}) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Table.ScrollContainer minWidth={960}>
      <Table verticalSpacing={4} highlightOnHover aria-label="Events">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Recorded</Table.Th>
            <Table.Th>Event</Table.Th>
            <Table.Th>Stream</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>Position</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Fragment key={event.id}>
              <Table.Tr>
                <Table.Td className={classes.time!}>{TIME.format(new Date(event.recorded_at))}</Table.Td>
                <Table.Td>
                  <UnstyledButton
                    fz="sm"
                    fw={600}
                    aria-expanded={open === event.id}
                    onClick={() => setOpen(open === event.id ? null : event.id)}
                  >
                    {event.type}
                  </UnstyledButton>
                </Table.Td>
                <Table.Td>
                  <UnstyledButton
                    className={classes.code!}
                    onClick={() => onStream(event.stream)}
                    aria-label={`Stream ${event.stream}`}
                  >
                    {event.stream}
                  </UnstyledButton>{' '}
                  <Text span size="xs" c="dimmed">
                    revision {event.revision}
                  </Text>
                </Table.Td>
                <Table.Td className={classes.code!}>
                  {event.metadata.actor.type.replace('_', ' ')} {event.metadata.actor.id}
                </Table.Td>
                <Table.Td className={`${classes.code!} ${classes.position!}`}>{shortPosition(event.position)}</Table.Td>
              </Table.Tr>
              {open === event.id && (
                <Table.Tr className={classes.details!}>
                  <Table.Td colSpan={5}>
                    <Details event={event} />
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Details({ event: { id, fields, metadata } }: { readonly event: LoggedEvent }) {
  const facts = [
    ['Id', id],
    ['Request', metadata.request_id],
    ['Caused by', metadata.causation_id],
    ['Version of its form', String(metadata.schema_version)],
    ['Hash', metadata.hash],
    ['Hash before', metadata.previous_hash],
  ] as const;
  return (
    <dl className={classes.facts}>
      <dt>Fields</dt>
      <dd>
        {fields.length === 0
          ? 'none'
          : fields.map((field) => (
              <Badge key={field} variant="default" className={classes.badge!} mr={4}>
                {field}
              </Badge>
            ))}
      </dd>
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd className={classes.code}>{value ?? 'none'}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
