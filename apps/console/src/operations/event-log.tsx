import { Badge, Button, Group, SimpleGrid, Stack, Table, Text, TextInput, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { localDateTime } from '../data/days.js';
import { formatOf } from '../data/locale.js';
import { ask, type LoggedEvent, type LogPage, type StreamPage } from './data.js';
import classes from './operations.module.css';
import { shortPosition } from './projections.js';
import { QueryState, type View } from './state.js';

const PAGE_SIZE = 50;
const timeText = formatOf({ dateStyle: 'medium', timeStyle: 'medium' });

interface PartProperties {
  readonly view: View;
  readonly onView: (change: View) => void;
}

/** What a search has besides the stream; times as ISO 8601. */
const CRITERIA = ['type', 'person', 'since', 'until'] as const;
/** Places in the log, a stream or the result of a search. */
const NO_PLACE = { after: undefined, before: undefined, from: undefined, place: undefined } as const;
const NOTHING: View = { stream: undefined, ...Object.fromEntries(CRITERIA.map((name) => [name, undefined])) };

/** A whole name has an entity after a dot; a beginning such as a category is searched for. */
const isSearch = (view: View): boolean =>
  CRITERIA.some((name) => view[name] !== undefined) || (view['stream'] !== undefined && !view['stream'].includes('.'));

/**
 * The log, by stream, by position or by search: types, times and actors of events. The listener returns no
 * values.
 */
export function EventLog({ view, onView }: PartProperties) {
  const { stream, after, before, from, place } = view;
  const openStream = (name: string): void => onView({ part: 'events', ...NOTHING, ...NO_PLACE, stream: name });
  const isWhole = stream === undefined && after === undefined && before === undefined && !isSearch(view);
  return (
    <Stack gap="sm">
      <SearchForm
        key={JSON.stringify([stream, ...CRITERIA.map((name) => view[name])])}
        view={view}
        onSearch={(requested) => onView({ part: 'events', ...NOTHING, ...NO_PLACE, ...requested })}
        onReset={isWhole ? null : () => onView({ part: 'events', ...NOTHING, ...NO_PLACE })}
      />
      {isSearch(view) ? (
        <Found view={view} place={place} onView={onView} onStream={openStream} />
      ) : stream === undefined ? (
        <CompleteLog after={after} before={before} onView={onView} onStream={openStream} />
      ) : (
        <OneStream stream={stream} from={from} onView={onView} onStream={openStream} />
      )}
    </Stack>
  );
}

interface SearchFormProperties {
  readonly view: View;
  readonly onSearch: (view: View) => void;
  /** Shows the whole log; null if it is shown. */
  readonly onReset: (() => void) | null;
}

function SearchForm({ view, onSearch, onReset }: SearchFormProperties) {
  const { t } = useTranslation('operations');
  const [typed, setTyped] = useState({
    stream: view['stream'] ?? '',
    type: view['type'] ?? '',
    person: view['person'] ?? '',
    since: view['since'] === undefined ? '' : localDateTime(view['since']),
    until: view['until'] === undefined ? '' : localDateTime(view['until']),
  });
  const field = (name: keyof typeof typed) => ({
    label: t(`search.${name}`),
    value: typed[name],
    onChange: ({ target }: { readonly target: HTMLInputElement }) => setTyped({ ...typed, [name]: target.value }),
    spellCheck: false,
  });
  const search = (event: FormEvent): void => {
    event.preventDefault();
    const instant = (text: string): string => (text === '' ? '' : new Date(text).toISOString());
    const { stream, type, person, since, until } = typed;
    const entries = Object.entries({
      ...{ stream: stream.trim(), type: type.trim(), person: person.trim() },
      ...{ since: instant(since), until: instant(until) },
    });
    onSearch(Object.fromEntries(entries.map(([name, text]) => [name, text === '' ? undefined : text])));
  };
  return (
    <form onSubmit={search}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="xs">
        <TextInput {...field('stream')} placeholder={t('search.streamExample')} />
        <TextInput {...field('type')} placeholder="EmploymentCorrected" />
        <TextInput {...field('person')} placeholder="V1StGXR8_Z5j" />
        <TextInput {...field('since')} type="datetime-local" />
        <TextInput {...field('until')} type="datetime-local" />
      </SimpleGrid>
      <Group gap="xs" mt="xs">
        <Button type="submit">{t('show')}</Button>
        {onReset !== null && (
          <Button variant="default" onClick={onReset}>
            {t('newestOfAll')}
          </Button>
        )}
      </Group>
    </form>
  );
}

interface FoundProperties {
  readonly view: View;
  readonly place: string | undefined;
  readonly onView: (change: View) => void;
  readonly onStream: (stream: string) => void;
}

/** The events that a search has found, newest first. */
function Found({ view, place, onView, onStream }: FoundProperties) {
  const { t } = useTranslation('operations');
  const { stream, type, person, since: from, until: to } = view;
  const entries = Object.entries({ stream, type, person, from, to, before: place, limit: String(PAGE_SIZE) });
  const given = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = `/events/search?${new URLSearchParams(given).toString()}`;
  const query = useQuery({
    queryKey: ['events', path],
    queryFn: () => ask<Pick<LogPage, 'events' | 'before'>>(path),
    placeholderData: keepPreviousData,
  });
  return (
    <QueryState of={t('searchNoun')} query={query}>
      {(page) => (
        <EventsPage
          events={page.events}
          empty={t('noMatch')}
          onStream={onStream}
          newer={{ label: t('newest'), open: place === undefined ? null : () => onView({ place: undefined }) }}
          onOlder={page.before === null ? null : () => onView({ place: page.before ?? undefined })}
        />
      )}
    </QueryState>
  );
}

interface CompleteLogProperties {
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly onView: (change: View) => void;
  readonly onStream: (stream: string) => void;
}

function CompleteLog({ after, before, onView, onStream }: CompleteLogProperties) {
  const { t } = useTranslation('operations');
  const place = after !== undefined ? `&after=${after}` : before !== undefined ? `&before=${before}` : '';
  const query = useQuery({
    queryKey: ['events', place],
    queryFn: () => ask<LogPage>(`/events?limit=${PAGE_SIZE}${place}`),
    placeholderData: keepPreviousData,
    ...(place === '' ? { refetchInterval: 3_000 } : {}),
  });
  return (
    <QueryState of={t('logNoun')} query={query}>
      {(page) => {
        const [newer, older] = [page.after, page.before];
        return (
          <EventsPage
            events={page.events.toReversed()}
            empty={t('noEvent')}
            onStream={onStream}
            newer={{
              label: t('newer'),
              open: newer === null ? null : () => onView({ part: 'events', after: newer, before: undefined }),
            }}
            onOlder={older === null ? null : () => onView({ part: 'events', before: older, after: undefined })}
          />
        );
      }}
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
  const { t } = useTranslation('operations');
  const path = `/events?stream=${encodeURIComponent(stream)}&limit=${PAGE_SIZE}${from === undefined ? '' : `&from=${from}`}`;
  const query = useQuery({
    queryKey: ['events', path],
    queryFn: () => ask<StreamPage>(path),
    placeholderData: keepPreviousData,
  });
  return (
    <QueryState of={t('streamNoun')} query={query}>
      {(page) => (
        <EventsPage
          events={page.events}
          empty={t('noStream')}
          onStream={onStream}
          newer={{ label: t('newest'), open: from === undefined ? null : () => onView({ from: undefined }) }}
          onOlder={page.next_from === null ? null : () => onView({ from: String(page.next_from) })}
        />
      )}
    </QueryState>
  );
}

interface EventsPageProperties {
  /** The newest first. */
  readonly events: readonly LoggedEvent[];
  /** Said if there are none. */
  readonly empty: string;
  readonly onStream: (stream: string) => void;
  /** The button towards newer events; null where there are none. */
  readonly newer: { readonly label: string; readonly open: (() => void) | null };
  readonly onOlder: (() => void) | null;
}

/** A page of events, with the ways to others. */
function EventsPage({ events, empty, onStream, newer, onOlder }: EventsPageProperties) {
  const { t } = useTranslation('operations');
  return (
    <>
      {events.length === 0 ? <Text c="dimmed">{empty}</Text> : <Events events={events} onStream={onStream} />}
      <Group gap="xs">
        <Button variant="default" disabled={newer.open === null} onClick={newer.open ?? undefined}>
          {newer.label}
        </Button>
        <Button variant="default" disabled={onOlder === null} onClick={onOlder ?? undefined}>
          {t('older')}
        </Button>
      </Group>
    </>
  );
}

function Events({
  events,
  onStream,
}: {
  readonly events: readonly LoggedEvent[];
  readonly onStream: (stream: string) => void;
}) {
  const { t } = useTranslation('operations');
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Table.ScrollContainer minWidth={960}>
      <Table verticalSpacing={4} highlightOnHover aria-label={t('events')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('recorded')}</Table.Th>
            <Table.Th>{t('event')}</Table.Th>
            <Table.Th>{t('search.stream')}</Table.Th>
            <Table.Th>{t('by')}</Table.Th>
            <Table.Th>{t('position')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Fragment key={event.id}>
              <Table.Tr>
                <Table.Td className={classes.time!}>{timeText(new Date(event.recorded_at))}</Table.Td>
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
                    aria-label={t('streamOf', { stream: event.stream })}
                  >
                    {event.stream}
                  </UnstyledButton>{' '}
                  <Text span size="xs" c="dimmed">
                    {t('revision', { revision: event.revision })}
                  </Text>
                </Table.Td>
                <Table.Td className={classes.code!}>
                  {t(`actors.${event.metadata.actor.type}`)} {event.metadata.actor.id}
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
  const { t } = useTranslation('operations');
  const facts = [
    [t('id'), id],
    [t('request'), metadata.request_id],
    [t('causedBy'), metadata.causation_id],
    [t('formVersion'), String(metadata.schema_version)],
    [t('hash'), metadata.hash],
    [t('hashBefore'), metadata.previous_hash],
  ] as const;
  return (
    <dl className={classes.facts}>
      <dt>{t('fields')}</dt>
      <dd>
        {fields.length === 0
          ? t('none')
          : fields.map((field) => (
              <Badge key={field} variant="default" className={classes.badge!} mr={4}>
                {field}
              </Badge>
            ))}
      </dd>
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd className={classes.code}>{value ?? t('none')}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
