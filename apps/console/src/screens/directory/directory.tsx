import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPencil, IconUserPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answerOf } from '@workforce-hr/client';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Person } from '../../data/client.js';
import { csvOf } from '../../data/csv.js';
import { dateTimeFormat, dayText, today } from '../../data/days.js';
import { readFromConsole, useMay } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { usePictures } from '../../data/use-pictures.js';
import { DownloadAll } from '../../ui/download-all.js';
import { Page } from '../../ui/page.js';
import { SavedViews } from '../../ui/saved-views.js';
import { Empty, Reading } from '../../ui/states.js';
import { statusText } from '../person/standing.js';
import { Filters } from './filters.js';
import { PeopleCards } from './people-cards.js';
import { PeopleTable } from './people-table.js';
import { type DirectoryState, isFiltered, queryOf, STATE_NAMES } from './query.js';

const BulkChange = lazy(async () => ({ default: (await import('./bulk-change.js')).BulkChange }));

const PAGE_SIZE = 100;

/** All current and former people: searched by name, filtered, and as of any day as known at any time. */
export function Directory() {
  const { t } = useTranslation('directory');
  const [state, change] = useAddress<DirectoryState>();
  const mayWrite = useMay('people:write');
  const query = queryOf(state);
  const people = usePages(
    ['people', 'directory', query],
    (after) => answerOf(client.GET('/people', { params: { query: { ...query, limit: PAGE_SIZE, ...after } } })),
    { keepsPrevious: true },
  );
  const rows = useMemo(() => people.data?.pages.flatMap(({ data }) => data) ?? [], [people.data]);
  const total = useTotal(query, people.hasNextPage, rows.length);
  const pictures = usePictures(rows.map(({ id }) => id));
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const [selected, setSelected] = useState<ReadonlyMap<string, Person>>(new Map());
  const [isChanging, setChanging] = useState(false);
  const day = state.as_of ?? today();
  const list = {
    rows,
    total,
    pictures,
    day,
    onNearEnd: () => void people.fetchNextPage(),
    isNearEnd: isReadable(people),
  };
  return (
    <Page
      title={t('title')}
      note={people.data === undefined ? undefined : noteOf(t, state, total)}
      actions={
        <>
          {mayWrite && selected.size > 0 && (
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setChanging(true)}
            >
              {t('changeSelected', { count: selected.size })}
            </Button>
          )}
          <SavedViews of="views" state={state} names={STATE_NAMES} onOpen={(view) => change(view, { push: true })} />
          <DownloadAll of={people} fileName={`people-${day}.csv`} tableOf={(all) => tableOf(t, all)} />
          {mayWrite && (
            <Button
              leftSection={<IconUserPlus size={16} aria-hidden />}
              renderRoot={(root) => <Link to={'/people/new' as never} {...root} />}
            >
              {t('hire')}
            </Button>
          )}
        </>
      }
    >
      <Filters state={state} change={change} isNarrow={isNarrow} />
      <Reading of={t('thePeople')} query={people} />
      {people.isSuccess && rows.length === 0 && <NoPeople isFiltered={isFiltered(state)} />}
      {rows.length > 0 &&
        (isNarrow ? (
          <PeopleCards {...list} />
        ) : (
          <PeopleTable
            {...list}
            state={state}
            onSort={(sort) => change({ sort: sort === 'name' ? undefined : sort })}
            selected={mayWrite && state.as_of === undefined ? selected : null}
            onSelect={setSelected}
          />
        ))}
      {isChanging && (
        <Suspense>
          <BulkChange
            people={[...selected.values()]}
            onClose={(changed) => {
              setChanging(false);
              setSelected(new Map([...selected].filter(([id]) => !changed.has(id))));
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}

type Translate = ReturnType<typeof useTranslation<'directory'>>['t'];

const isReadable = ({
  hasNextPage,
  isFetchingNextPage,
  isError,
}: Record<'hasNextPage' | 'isFetchingNextPage' | 'isError', boolean>) => hasNextPage && !isFetchingNextPage && !isError;

/** The exact number of people in a list: counted by the service while more pages are to be read. */
function useTotal(query: ReturnType<typeof queryOf>, hasMore: boolean, read: number): number {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString();
  const count = useQuery({
    queryKey: ['people', 'count', parameters],
    queryFn: () => readFromConsole<{ readonly count: number }>(`/console/people-count?${parameters}`),
    placeholderData: keepPreviousData,
    enabled: hasMore,
  });
  return hasMore ? Math.max(count.data?.count ?? 0, read) : read;
}

function NoPeople({ isFiltered: isDueToFilters }: { readonly isFiltered: boolean }) {
  const { t } = useTranslation('directory');
  if (isDueToFilters) return <Empty title={t('noMatch')}>{t('noMatchHint')}</Empty>;
  return <Empty title={t('noPeople')}>{t('noPeopleHint')}</Empty>;
}

function noteOf(t: Translate, { as_of: day, known_at: instant }: DirectoryState, count: number): string {
  if (day === undefined) return t('people', { count });
  const known = instant === undefined ? t('asKnownNow') : t('asKnownAt', { time: dateTimeFormat(instant) });
  return day === today() ? t('workedToday', { count, known }) : t('workedOn', { count, known, day: dayText(day) });
}

function tableOf(t: Translate, rows: readonly Person[]): string {
  return csvOf(
    [
      t('name'),
      t('workEmail'),
      t('staffId'),
      t('jobTitle'),
      t('department'),
      t('manager'),
      t('workPlace'),
      t('status'),
      t('firstDay'),
      t('lastDay'),
    ],
    rows.map((person) => [
      person.display_name,
      person.work_email,
      person.staff_id,
      person.job_title,
      person.department?.name,
      person.manager?.display_name,
      person.work_place?.label,
      person.status === null ? null : statusText(person.status),
      person.start_date,
      person.end_date,
    ]),
  );
}
