import { Button, Card, Drawer, Group, NativeSelect, Table, Text, Title } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { readPageFromConsole } from '../../data/session.js';
import { type Pages, usePages } from '../../data/use-pages.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import { DeliveryDetails } from './delivery-details.js';
import { StatusBadge, STATUSES } from './status-badge.js';
import { useEventTypes } from './use-event-types.js';

type Delivery = Schemas['DeliveryResponse'];
/** `webhook_name` only in the list of all endpoints. */
type Row = Delivery & { readonly webhook_name?: string };

interface DeliveriesState extends Record<string, string | undefined> {
  status?: string | undefined;
  type?: string | undefined;
  delivery?: string | undefined;
  /** The endpoint of the open delivery. */
  of?: string | undefined;
}

/** Types that no catalogue of the service lists. */
const UNLISTED = ['webhook.test', 'time_off.approved', 'time_off.declined'];
const REFETCH_MILLISECONDS = 10_000;

/** The deliveries to an endpoint, or to all, newest first; one of them opens beside the list. */
export function Deliveries({ webhookId }: { readonly webhookId?: string }) {
  const { t } = useTranslation('webhooks');
  const [{ status: chosen, type, delivery, of }, change] = useAddress<DeliveriesState>();
  const types = [...new Set<string>([...useEventTypes(), ...UNLISTED])].toSorted();
  const status = STATUSES.find((one) => one === chosen);
  const deliveries = useDeliveries(webhookId, { status, type });
  const { items: rows } = deliveries;
  const endpointOfOpen = webhookId ?? of;
  return (
    <Card withBorder component="section" aria-label={t('deliveries')} padding="md">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('deliveries')}
        </Title>
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label={t('eventType')}
            data={[{ value: '', label: t('allTypes') }, ...types]}
            value={type ?? ''}
            onChange={({ currentTarget }) => change({ type: currentTarget.value || undefined })}
          />
          <NativeSelect
            size="xs"
            aria-label={t('state')}
            data={[
              { value: '', label: t('allStates') },
              ...STATUSES.map((one) => ({ value: one, label: t(`statuses.${one}`) })),
            ]}
            value={status ?? ''}
            onChange={({ currentTarget }) => change({ status: currentTarget.value || undefined })}
          />
        </Group>
      </Group>
      <Reading of={t('deliveriesNoun')} query={deliveries} />
      {deliveries.isSuccess && rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {status === undefined && type === undefined ? t('nothingSent') : t('noneMatch')}
        </Text>
      )}
      {rows.length > 0 && (
        <WideTable
          label={t('deliveries')}
          minWidth={webhookId === undefined ? 700 : 560}
          heads={[
            t('event'),
            ...(webhookId === undefined ? [t('endpoint')] : []),
            t('state'),
            t('attempts'),
            t('answer'),
            t('created'),
          ]}
        >
          {rows.map((row) => (
            <DeliveryRow
              key={row.id}
              row={row}
              onOpen={() => change({ delivery: row.id, of: row.webhook_id }, { push: true })}
            />
          ))}
        </WideTable>
      )}
      <ShowMore of={deliveries} size="xs" />
      <Drawer
        opened={delivery !== undefined && endpointOfOpen !== undefined}
        onClose={() => change({ delivery: undefined, of: undefined })}
        position="right"
        size="xl"
        title={t('delivery')}
        closeButtonProps={{ 'aria-label': t('close') }}
        attributes={{ header: { role: 'presentation' } }}
      >
        {delivery !== undefined && endpointOfOpen !== undefined && (
          <DeliveryDetails webhookId={endpointOfOpen} deliveryId={delivery} />
        )}
      </Drawer>
    </Card>
  );
}

interface DeliveryRowProperties {
  readonly row: Row;
  readonly onOpen: () => void;
}

function DeliveryRow({ row, onOpen }: DeliveryRowProperties) {
  const { t } = useTranslation('webhooks');
  return (
    <Table.Tr>
      <Table.Td>
        <Button size="compact-sm" variant="subtle" px={4} ml={-4} onClick={onOpen}>
          {row.event_type}
        </Button>
      </Table.Td>
      {row.webhook_name !== undefined && (
        <Table.Td>
          <ScreenLink to={`/webhooks/${row.webhook_id}`} title={row.webhook_id} size="sm">
            {row.webhook_name}
          </ScreenLink>
        </Table.Td>
      )}
      <Table.Td>
        <StatusBadge status={row.status} />
      </Table.Td>
      <Table.Td>{row.attempt_count}</Table.Td>
      <Table.Td>{row.last_http_status ?? (row.attempt_count === 0 ? '' : t('none'))}</Table.Td>
      <Table.Td>{dateTimeFormat(row.created_at)}</Table.Td>
    </Table.Tr>
  );
}

interface Filters {
  readonly status: Delivery['status'] | undefined;
  readonly type: string | undefined;
}

function useDeliveries(webhookId: string | undefined, { status, type }: Filters): Pages<Row> {
  const filters = {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { event_type: type as Delivery['event_type'] }),
  };
  return usePages<Row>(
    ['webhook-deliveries', webhookId, filters],
    async (after) => {
      const query = { ...filters, ...after };
      if (webhookId !== undefined)
        return answerOf(client.GET('/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query } }));
      return readPageFromConsole<Row>('/console/webhooks/deliveries', query);
    },
    { refetchInterval: () => REFETCH_MILLISECONDS, keepsPrevious: true },
  );
}
