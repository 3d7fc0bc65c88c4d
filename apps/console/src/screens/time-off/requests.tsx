import { Badge, Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, WorkforceError } from '@workforce-hr/client';
import { client, type Schemas } from '../../data/client.js';
import { hoursText, shortDayText } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { useDecision } from '../../data/use-decision.js';
import { usePages } from '../../data/use-pages.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Failure, Reading } from '../../ui/states.js';

type TimeOff = Schemas['TimeOffResponse'];

/** Pending requests, each with the balance before and after, and other people who are out on those days. */
export function Requests() {
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
  const { person, category, start_date: from, end_date: to, total_days: days } = request;
  const balance = useQuery({
    queryKey: ['people', person.id, 'balance'],
    queryFn: () =>
      answerOf(client.GET('/people/{personId}/time-off-balance', { params: { path: { personId: person.id } } })),
  });
  const settings = useQuery({
    queryKey: ['time-off', 'settings'],
    queryFn: () => answerOf(client.GET('/time-off/settings')),
  });
  const others = useQuery({
    queryKey: ['time-off', 'overlaps', from, to],
    queryFn: () => answerOf(client.GET('/time-off/who-is-out', { params: { query: { from, to, limit: 20 } } })),
  });
  const { note, setNote, isReady, isPending, error, decide } = useDecision(request, may, (decision) =>
    notifications.show({ message: `${person.display_name}: ${decision}.`, color: 'teal' }),
  );
  const account = balance.data?.data.balances.find((one) => one.category.id === category.id);
  // The available balance already excludes this request if the organisation deducts pending requests.
  const isCounted = settings.data?.data.pending_counts;
  const before =
    account === undefined || isCounted === undefined
      ? null
      : account.available + (isCounted ? request.total_minutes : 0);
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
            {from === to ? shortDayText(from) : `${shortDayText(from)} to ${shortDayText(to)}`},{' '}
            {Number(days.toFixed(2))} {days === 1 ? 'day' : 'days'}
          </Text>
          {before !== null && (
            <Text size="sm" c="dimmed">
              Available before {hoursText(before)}, after {hoursText(before - request.total_minutes)}
            </Text>
          )}
          {overlaps.length > 0 && (
            <Text size="sm" c="dimmed">
              Out on those days: {overlaps.map((one) => one.person.display_name).join(', ')}
            </Text>
          )}
        </div>
        {may && (
          <Group gap="xs" align="flex-end">
            <TextInput
              size="xs"
              label="Note"
              placeholder="None"
              maxLength={500}
              value={note}
              onChange={({ target }) => setNote(target.value)}
              aria-label={`Note for ${person.display_name}, ${shortDayText(from)}`}
            />
            <Button
              size="xs"
              variant="default"
              onClick={() => decide('rejected')}
              loading={isPending}
              disabled={!isReady}
              aria-label={`Reject ${person.display_name}, ${shortDayText(from)}`}
            >
              Reject
            </Button>
            <Button
              size="xs"
              onClick={() => decide('approved')}
              loading={isPending}
              disabled={!isReady}
              aria-label={`Approve ${person.display_name}, ${shortDayText(from)}`}
            >
              Approve
            </Button>
          </Group>
        )}
      </Group>
      {error !== null && <Refusal error={error} />}
    </Card>
  );
}

const MEANWHILE: ReadonlySet<string> = new Set(['conflict', 'precondition_failed']);

function Refusal({ error }: { readonly error: Error }) {
  const queryClient = useQueryClient();
  if (!(error instanceof WorkforceError) || !MEANWHILE.has(error.code)) return <Failure error={error} />;
  const said = 'Another user has changed or decided this request.';
  return (
    <Failure
      error={new WorkforceError(error.status, error.code, said, error.requestId, error.details)}
      onRetry={() => void queryClient.invalidateQueries({ queryKey: ['time-off'] })}
    />
  );
}
