import { ActionIcon, Button, Card, Group, Select, Stack, Switch, Table, Tabs, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { shortDayText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Empty, Failure, Loading } from '../../ui/states.js';
import { Balances } from './balances.js';
import { Decided } from './decided.js';
import { Holidays } from './holidays.js';
import { daysOfMonth, monthText, partOn, plusMonths } from './month.js';
import { Requests } from './requests.js';
import classes from './time-off.module.css';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type PersonOut = Schemas['PersonOut'];
type State = { view?: string; month?: string; department?: string; units?: string; pending?: string };

const PAGE_SIZE = 100;

const VIEWS = {
  calendar: 'Month and requests',
  decided: 'Decided',
  balances: 'Balances',
  holidays: 'Public holidays',
} as const;
type View = keyof typeof VIEWS;

/** Absences of a month, pending requests, decisions, and the balances of all people. */
export function TimeOffScreen() {
  const [state, change] = useAddress<State>();
  const view: View = state.view !== undefined && state.view in VIEWS ? (state.view as View) : 'calendar';
  return (
    <Page title="Who is out" note={view === 'calendar' ? monthText(monthOf(state)) : VIEWS[view]}>
      <Tabs
        value={view}
        onChange={(requested) => change({ view: requested === 'calendar' ? undefined : (requested ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List aria-label="Parts of time off">
          {Object.entries(VIEWS).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="calendar" pt="md">
          <Stack>
            <Calendar />
            <Requests />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="decided" pt="md">
          <Decided />
        </Tabs.Panel>
        <Tabs.Panel value="balances" pt="md">
          <Stack>
            <Group align="flex-end" gap="sm">
              <Department state={state} change={change} />
            </Group>
            <Balances department={state.department} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="holidays" pt="md">
          <Holidays />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const monthOf = ({ month }: State): string => month ?? today().slice(0, 7);

function Calendar() {
  const [state, change] = useAddress<State>();
  const month = monthOf(state);
  const isWithPending = state.pending !== 'false';
  return (
    <>
      <Group align="flex-end" gap="sm">
        <Group gap={4}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Month before"
            onClick={() => change({ month: plusMonths(month, -1) })}
          >
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <Button variant="default" onClick={() => change({ month: undefined })}>
            This month
          </Button>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Month after"
            onClick={() => change({ month: plusMonths(month, 1) })}
          >
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
        </Group>
        <Department state={state} change={change} />
        <Switch
          label="With requests"
          checked={isWithPending}
          onChange={({ target }) => change({ pending: target.checked ? undefined : 'false' })}
          pb={8}
        />
      </Group>
      <Month month={month} state={state} isWithPending={isWithPending} />
    </>
  );
}

function Department({
  state,
  change,
}: {
  readonly state: State;
  readonly change: (change: { department?: string | undefined }) => void;
}) {
  const may = useMay('org_units:read');
  const departments = useQuery({
    queryKey: ['org-units'],
    queryFn: () => answerOf(client.GET('/org-units')),
    enabled: may,
  });
  if (!may) return null;
  return (
    <Select
      label="Department, with units below"
      placeholder="All"
      searchable
      clearable
      data={(departments.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={state.department ?? null}
      onChange={(department) => change({ department: department ?? undefined })}
    />
  );
}

interface MonthProperties {
  readonly month: string;
  readonly state: State;
  readonly isWithPending: boolean;
}

function Month({ month, state, isWithPending }: MonthProperties) {
  const days = daysOfMonth(month);
  const query = {
    from: days[0]!,
    to: days.at(-1)!,
    limit: PAGE_SIZE,
    ...(isWithPending ? { include_pending: true } : {}),
    ...(state.department === undefined ? {} : { department_id: state.department, include_units: true }),
  };
  const out = usePages(['time-off', 'who-is-out', query], (after) =>
    answerOf(client.GET('/time-off/who-is-out', { params: { query: { ...query, ...after } } })),
  );
  const { items: people } = out;
  if (out.isError) return <Failure error={out.error} onRetry={() => void out.refetch()} />;
  if (out.isPending) return <Loading of="the month" />;
  if (people.length === 0) return <Empty title="No time off">No person has time off in {monthText(month)}.</Empty>;
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={900}>
        <Table
          className={classes.month!}
          aria-label={`Who is out in ${monthText(month)}`}
          verticalSpacing={4}
          horizontalSpacing={0}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes.name!}>Name</Table.Th>
              {days.map((day) => (
                <Table.Th key={day} className={dayClass(day)} aria-label={shortDayText(day)}>
                  {Number(day.slice(8))}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {people.map((row) => (
              <PersonRow key={row.person.id} row={row} days={days} />
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th className={classes.name!}>Out</Table.Th>
              {days.map((day) => {
                const count = people.filter(({ spans }) => spans.some((span) => partOn(span, day) !== null)).length;
                return (
                  <Table.Td key={day} className={dayClass(day)}>
                    {count === 0 ? '' : count}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
      <Group p="sm" gap="md">
        <Key className={classes.approved!} text="approved" />
        <Key className={classes.pending!} text="requested" />
        <ShowMore of={out} size="compact-sm">
          Show more people
        </ShowMore>
      </Group>
    </Card>
  );
}

function PersonRow({ row, days }: { readonly row: PersonOut; readonly days: readonly string[] }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.name!}>
        <ScreenLink to={`/people/${row.person.id}`} size="sm">
          {row.person.display_name}
        </ScreenLink>
      </Table.Th>
      {days.map((day) => {
        const span = row.spans.find((one) => partOn(one, day) !== null);
        if (span === undefined) return <Table.Td key={day} className={dayClass(day)} />;
        const part = partOn(span, day)!;
        const text = `${span.category.label}, ${span.status_code}${part === 'full' ? '' : `, ${part} of the day`}`;
        return (
          <Table.Td key={day} className={dayClass(day)}>
            <span
              role="img"
              aria-label={text}
              title={text}
              className={`${classes.span} ${span.status_code === 'approved' ? classes.approved : classes.pending} ${part === 'full' ? '' : classes.half}`}
            />
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
}

function Key({ className, text }: { readonly className: string; readonly text: string }) {
  return (
    <Group gap={6}>
      <span className={`${classes.key} ${className}`} aria-hidden />
      <Text size="sm">{text}</Text>
    </Group>
  );
}

function dayClass(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return `${classes.day} ${weekday === 0 || weekday === 6 ? classes.weekend : ''} ${day === today() ? classes.today : ''}`;
}
