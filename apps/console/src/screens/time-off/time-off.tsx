import { ActionIcon, Badge, Button, Card, Group, Select, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf, WorkforceError } from '@workforce-hr/client';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { hoursText, shortDayText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Empty, Failure, Loading, Reading } from '../../ui/states.js';
import { daysOfMonth, monthText, partOn, plusMonths } from './month.js';
import classes from './time-off.module.css';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type PersonOut = Schemas['PersonOut'];
type TimeOff = Schemas['TimeOffResponse'];
type State = { month?: string; department?: string; units?: string; pending?: string };

const PAGE_SIZE = 100;

/** Who is out in a month, by unit, and the requests that wait for a decision. */
export function TimeOffScreen() {
  const [state, change] = useAddress<State>();
  const month = state.month ?? today().slice(0, 7);
  const isWithPending = state.pending !== 'false';
  return (
    <Page title="Who is out" note={monthText(month)}>
      <Group align="flex-end" gap="sm">
        <Group gap={4}>
          <ActionIcon variant="default" size="lg" aria-label="Month before" onClick={() => change({ month: plusMonths(month, -1) })}>
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <Button variant="default" onClick={() => change({ month: undefined })}>
            This month
          </Button>
          <ActionIcon variant="default" size="lg" aria-label="Month after" onClick={() => change({ month: plusMonths(month, 1) })}>
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
      <Requests />
    </Page>
  );
}

function Department({ state, change }: { readonly state: State; readonly change: (change: { department?: string | undefined }) => void }) {
  const may = useMay('org_units:read');
  const departments = useQuery({ queryKey: ['org-units'], queryFn: () => answerOf(client.GET('/org-units')), enabled: may });
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
  if (people.length === 0) return <Empty title="Everybody is here">Nobody has time off in {monthText(month)}.</Empty>;
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={900}>
        <Table className={classes.month!} aria-label={`Who is out in ${monthText(month)}`} verticalSpacing={4} horizontalSpacing={0}>
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

/** The requests that wait for a decision, each with the balance before and after, and who else is out on those days. */
function Requests() {
  const requests = usePages(['time-off', 'pending'], (after) =>
    answerOf(client.GET('/time-off', { params: { query: { status: 'pending', limit: 20, ...after } } })),
  );
  const { items: rows } = requests;
  return (
    <section aria-label="Requests to decide">
      <Title order={2} size="h4" mb="sm">
        Requests to decide
      </Title>
      <Reading of="requests" query={requests} />
      {requests.isSuccess && rows.length === 0 && <Empty title="Nothing waits for a decision" />}
      <Stack gap="sm">
        {rows.map((row) => (
          <Request key={row.id} request={row} />
        ))}
        <ShowMore of={requests}>Show more requests</ShowMore>
      </Stack>
    </section>
  );
}

function Request({ request }: { readonly request: TimeOff }) {
  const may = useMay('time_off:write');
  const { id, person, category, start_date: from, end_date: to, total_days: days } = request;
  const balance = useQuery({
    queryKey: ['people', person.id, 'balance'],
    queryFn: () => answerOf(client.GET('/people/{personId}/time-off-balance', { params: { path: { personId: person.id } } })),
  });
  const others = useQuery({
    queryKey: ['time-off', 'overlaps', from, to],
    queryFn: () => answerOf(client.GET('/time-off/who-is-out', { params: { query: { from, to, limit: 20 } } })),
  });
  const decide = useWrite(
    async (step: 'approve' | 'reject', header) => {
      // The tag of the request as it is now: who changed it meanwhile gets another decision.
      const { entityTag } = await answerOf(client.GET('/time-off/{timeOffId}', { params: { path: { timeOffId: id } } }));
      const options = { params: { path: { timeOffId: id }, header: { ...header, 'If-Match': entityTag! } } };
      return step === 'approve'
        ? answerOf(client.POST('/time-off/{timeOffId}/approve', options))
        : answerOf(client.POST('/time-off/{timeOffId}/reject', options));
    },
    {
      onSuccess: (_, step) =>
        notifications.show({ message: `${person.display_name}: ${step === 'approve' ? 'approved' : 'rejected'}.`, color: 'teal' }),
    },
  );
  const account = balance.data?.data.balances.find((one) => one.category.id === category.id);
  const overlaps = (others.data?.data ?? []).filter((one) => one.person.id !== person.id);
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <ScreenLink to={`/people/${person.id}`} fw={600}>
              {person.display_name}
            </ScreenLink>
            <Badge variant="default">{category.label}</Badge>
          </Group>
          <Text size="sm">
            {from === to ? shortDayText(from) : `${shortDayText(from)} to ${shortDayText(to)}`}, {Number(days.toFixed(2))}{' '}
            {days === 1 ? 'day' : 'days'}
          </Text>
          {account !== undefined && (
            <Text size="sm" c="dimmed">
              Available before {hoursText(account.available + request.total_minutes)}, after {hoursText(account.available)}
            </Text>
          )}
          {overlaps.length > 0 && (
            <Text size="sm" c="dimmed">
              Out on those days: {overlaps.map((one) => one.person.display_name).join(', ')}
            </Text>
          )}
        </div>
        {may && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              onClick={() => decide.mutate('reject')}
              loading={decide.isPending}
              aria-label={`Reject ${person.display_name}, ${shortDayText(from)}`}
            >
              Reject
            </Button>
            <Button
              size="xs"
              onClick={() => decide.mutate('approve')}
              loading={decide.isPending}
              aria-label={`Approve ${person.display_name}, ${shortDayText(from)}`}
            >
              Approve
            </Button>
          </Group>
        )}
      </Group>
      {decide.isError && (
        <Failure
          error={
            decide.error instanceof WorkforceError && decide.error.code === 'conflict'
              ? new WorkforceError(
                  409,
                  'conflict',
                  'Somebody else has decided this meanwhile.',
                  decide.error.requestId,
                  decide.error.details,
                )
              : decide.error
          }
        />
      )}
    </Card>
  );
}
