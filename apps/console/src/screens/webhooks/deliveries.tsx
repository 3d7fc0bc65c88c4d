import { Button, Card, Code, Drawer, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useWrite } from '../../data/use-write.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { Failure, Loading, Reading } from '../../ui/states.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type Delivery = Schemas['DeliveryResponse'];
type Status = Delivery['status'];

const WORDS: Readonly<Record<Status, string>> = {
  pending: 'waiting',
  retry_scheduled: 'to be tried again',
  delivered: 'delivered',
  failed: 'failed',
};
const TONES: Readonly<Record<Status, Tone>> = {
  pending: 'quiet',
  retry_scheduled: 'watch',
  delivered: 'good',
  failed: 'bad',
};
const STATUSES = Object.keys(WORDS) as readonly Status[];
const isStatus = (text: string | undefined): text is Status => STATUSES.includes(text as Status);

/** The deliveries to an endpoint, newest first, and each attempt. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const [{ status, delivery }, change] = useAddress<{ status?: string | undefined; delivery?: string | undefined }>();
  const deliveries = usePages(
    ['webhook-deliveries', webhookId, status],
    (after) =>
      answerOf(
        client.GET('/webhooks/{webhookId}/deliveries', {
          params: { path: { webhookId }, query: { ...(isStatus(status) ? { status } : {}), ...after } },
        }),
      ),
    { refetchInterval: () => 10_000 },
  );
  const { items: rows } = deliveries;
  return (
    <Card withBorder component="section" aria-label="Deliveries" padding="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Deliveries
        </Title>
        <NativeSelect
          size="xs"
          aria-label="State"
          data={[{ value: '', label: 'all states' }, ...STATUSES.map((one) => ({ value: one, label: WORDS[one] }))]}
          value={isStatus(status) ? status : ''}
          onChange={(event) => change({ status: event.currentTarget.value || undefined })}
        />
      </Group>
      <Reading of="deliveries" query={deliveries} />
      {deliveries.isSuccess && rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {isStatus(status) ? 'There are none in this state.' : 'Nothing has been sent yet. Send a test.'}
        </Text>
      )}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table highlightOnHover verticalSpacing={4} aria-label="Deliveries">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Event</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Attempts</Table.Th>
                <Table.Th>Answer</Table.Th>
                <Table.Th>Created</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((one) => (
                <Table.Tr key={one.id}>
                  <Table.Td>
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      px={4}
                      ml={-4}
                      onClick={() => change({ delivery: one.id }, { push: true })}
                    >
                      {one.event_type}
                    </Button>
                  </Table.Td>
                  <Table.Td>
                    <StatusBadge status={one.status} />
                  </Table.Td>
                  <Table.Td>{one.attempt_count}</Table.Td>
                  <Table.Td>{one.last_http_status ?? (one.attempt_count === 0 ? '' : 'none')}</Table.Td>
                  <Table.Td>{dateTimeFormat(one.created_at)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ShowMore of={deliveries} size="xs" />
      <Drawer
        opened={delivery !== undefined}
        onClose={() => change({ delivery: undefined })}
        position="right"
        size="lg"
        title="Delivery"
        closeButtonProps={{ 'aria-label': 'Close' }}
        attributes={{ header: { role: 'presentation' } }}
      >
        {delivery !== undefined && <Attempts webhookId={webhookId} deliveryId={delivery} />}
      </Drawer>
    </Card>
  );
}

function StatusBadge({ status }: { readonly status: Status }) {
  return <StateBadge tone={TONES[status]}>{WORDS[status]}</StateBadge>;
}

function Attempts({ webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string }) {
  const path = { webhookId, deliveryId };
  const read = useQuery({
    queryKey: ['webhook-delivery', webhookId, deliveryId],
    queryFn: () => answerOf(client.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params: { path } })),
    refetchInterval: 5_000,
  });
  const write = useWrite((_: Record<string, never>, header) =>
    answerOf(client.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', { params: { path, header } })),
  );
  if (read.isPending) return <Loading of="the delivery" />;
  if (read.isError) return <Failure error={read.error} onRetry={() => void read.refetch()} />;
  const { event_type: type, event_id: event, resource, status, next_attempt_at: next, attempts } = read.data.data;
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{type}</Text>
          <StatusBadge status={status} />
        </Group>
        <Button size="xs" disabled={status !== 'failed'} loading={write.isPending} onClick={() => write.mutate({})}>
          Redeliver
        </Button>
      </Group>
      {write.isError && <Failure error={write.error} />}
      <Text size="xs" c="dimmed">
        Event <Code>{event}</Code>
        {resource !== null && (
          <>
            {' about '}
            <Code>{resource.id}</Code>
          </>
        )}
        {next !== null && `. Next attempt ${dateTimeFormat(next)}.`}
      </Text>
      {attempts.length === 0 && <Text size="sm">No attempt has ended yet.</Text>}
      {attempts.map(({ number, started_at, duration_ms, http_status, failure_message }) => (
        <Card key={number} withBorder padding="sm">
          <Group justify="space-between">
            <Text size="sm" fw={500}>
              {number}. {dateTimeFormat(started_at)}
            </Text>
            <StateBadge tone={failure_message === null ? 'good' : 'bad'}>{http_status ?? 'no answer'}</StateBadge>
          </Group>
          <Text size="xs" c="dimmed">
            {duration_ms} ms{failure_message !== null && `: ${failure_message}`}
          </Text>
        </Card>
      ))}
    </Stack>
  );
}
