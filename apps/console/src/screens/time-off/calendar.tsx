import { Button, Group, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { type Pages, usePages } from '../../data/use-pages.js';
import { PeriodButtons } from '../../ui/period-buttons.js';
import { PersonSelect } from '../../ui/person-select.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Failure, Loading } from '../../ui/states.js';
import { Department } from './department.js';
import { MonthGrid } from './month-grid.js';
import { daysOfMonth, monthText, plusMonths } from './month.js';
import { TimeOffRecord } from './record.js';
import { RequestTimeOff } from './request-time-off.js';

type PersonOut = Schemas['PersonOut'];
type State = { month?: string; department?: string; manager?: string; everyone?: string; pending?: string };

const PAGE_SIZE = 100;

interface CalendarProperties {
  /** The manager whose reports it shows; null if the user chooses. */
  readonly managerId: string | null;
}

/** The month that the address names; the current one by default. */
export const monthOf = ({ month }: Pick<State, 'month'>): string => month ?? today().slice(0, 7);

/** The calendar of a team, of a department, or of everyone, in which days are selected for requests. */
export function Calendar({ managerId }: CalendarProperties) {
  const { t } = useTranslation('time-off');
  const [state, change] = useAddress<State>();
  const month = monthOf(state);
  return (
    <>
      <Group align="flex-end" gap="sm">
        <PeriodButtons
          before={t('calendar.before')}
          after={t('calendar.after')}
          onStep={(step) => change({ month: plusMonths(month, step) })}
        >
          <Button variant="default" onClick={() => change({ month: undefined })}>
            {t('calendar.this')}
          </Button>
        </PeriodButtons>
        {managerId === null && (
          <>
            <Department value={state.department} onChange={(department) => change({ department })} />
            <PersonSelect
              label={t('calendar.manager')}
              placeholder={t('calendar.all')}
              value={state.manager ?? null}
              valueName={null}
              onChange={(manager) => change({ manager: manager ?? undefined })}
            />
            <Switch
              label={t('calendar.everyone')}
              checked={state.everyone === 'true'}
              onChange={({ target }) => change({ everyone: target.checked ? 'true' : undefined })}
              pb={8}
            />
          </>
        )}
        <Switch
          label={t('calendar.withRequests')}
          checked={state.pending !== 'false'}
          onChange={({ target }) => change({ pending: target.checked ? undefined : 'false' })}
          pb={8}
        />
      </Group>
      <Month month={month} state={state} managerId={managerId} />
    </>
  );
}

interface MonthProperties {
  readonly month: string;
  readonly state: State;
  readonly managerId: string | null;
}

function Month({ month, state, managerId }: MonthProperties) {
  const { t } = useTranslation('time-off');
  const may = useMay('time_off:write');
  const [asked, setAsked] = useState<Pick<Parameters<typeof RequestTimeOff>[0], 'person' | 'days'> | null>(null);
  const [opened, setOpened] = useState<Pick<Parameters<typeof TimeOffRecord>[0], 'id' | 'movedTo'> | null>(null);
  const manager = managerId ?? state.manager;
  const isEveryone = managerId !== null || state.everyone === 'true';
  const place = {
    ...(state.department === undefined ? {} : { department_id: state.department, include_units: true }),
    ...(manager === undefined ? {} : { manager_id: manager }),
  };
  const out = useOut(month, place, state.pending !== 'false', isEveryone);
  const people = usePages(
    ['people', 'calendar', place],
    (after) => {
      const query = { ...place, status: 'active' as const, sort: 'name' as const, limit: PAGE_SIZE, ...after };
      return answerOf(client.GET('/people', { params: { query } }));
    },
    { enabled: isEveryone },
  );
  const holidays = useHolidays(month);
  const pages: Pick<Pages<unknown>, 'isError' | 'error' | 'refetch'>[] = isEveryone ? [out, people] : [out];
  const failed = pages.find(({ isError }) => isError);
  if (failed !== undefined) return <Failure error={failed.error!} onRetry={() => void failed.refetch()} />;
  // Without the last page, people would look present who are out.
  if (out.isPending || (isEveryone && (people.isPending || out.hasNextPage)))
    return <Loading of={t('calendar.reading')} />;
  const rows = isEveryone ? withOthers(people, out.items) : out.items;
  if (rows.length === 0)
    return isEveryone ? (
      <Empty title={t('calendar.noPeople')} />
    ) : (
      <Empty title={t('calendar.none')}>{t('calendar.noneIn', { month: monthText(month) })}</Empty>
    );
  return (
    <>
      <MonthGrid
        month={month}
        rows={rows}
        holidays={holidays}
        hasPersonScreen={managerId === null}
        canRequest={may}
        canMove={may && managerId === null}
        onRequest={({ id, display_name: name }, days) => setAsked({ person: { id, name }, days })}
        onOpen={(id, movedTo) => setOpened(movedTo === undefined ? { id } : { id, movedTo })}
      >
        <ShowMore of={isEveryone ? people : out} size="compact-sm">
          {t('calendar.more')}
        </ShowMore>
      </MonthGrid>
      {asked !== null && <RequestTimeOff {...asked} onClose={() => setAsked(null)} />}
      {opened !== null && <TimeOffRecord {...opened} onClose={() => setOpened(null)} />}
    </>
  );
}

/** The people who are out in a month; all of them where other people stand between them. */
function useOut(month: string, place: object, isWithPending: boolean, isComplete: boolean): Pages<PersonOut> {
  const days = daysOfMonth(month);
  const query = {
    from: days[0]!,
    to: days.at(-1)!,
    limit: PAGE_SIZE,
    ...(isWithPending ? { include_pending: true } : {}),
    ...place,
  };
  const out = usePages(['time-off', 'who-is-out', query], (after) =>
    answerOf(client.GET('/time-off/who-is-out', { params: { query: { ...query, ...after } } })),
  );
  const { hasNextPage, isFetching, isError, fetchNextPage } = out;
  useEffect(() => {
    if (isComplete && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isComplete, hasNextPage, isFetching, isError, fetchNextPage]);
  return out;
}

/** The names of the holidays of a month's year that free the organisation from work, by day. */
function useHolidays(month: string): ReadonlyMap<string, string> {
  const year = Number(month.slice(0, 4));
  const holidays = useQuery({
    queryKey: ['public-holidays', { year }],
    queryFn: () => answerOf(client.GET('/public-holidays', { params: { query: { year } } })),
  });
  return new Map((holidays.data?.data ?? []).map(({ date, name }) => [date, name]));
}

/** The read people with their time off, and at the end of the list those who are out and no longer active. */
function withOthers(people: Pages<Schemas['PersonResponse']>, out: readonly PersonOut[]): readonly PersonOut[] {
  const spans = new Map(out.map((row) => [row.person.id, row.spans]));
  const listed = people.items.map(({ id, display_name }) => ({
    person: { id, display_name },
    spans: spans.get(id) ?? [],
  }));
  if (people.hasNextPage) return listed;
  const ids = new Set(listed.map(({ person }) => person.id));
  return [...listed, ...out.filter(({ person }) => !ids.has(person.id))];
}
