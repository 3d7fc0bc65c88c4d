import { Button, Stack, Table, Tabs, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Empty, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import { CreateWebhook } from './create-webhook.js';
import { Deliveries } from './deliveries.js';
import { HealthBadge } from './health-badge.js';
import { LiveFeed } from './live-feed.js';
import { Statistics } from './statistics.js';

const MAX_ENDPOINTS = 200;
const VIEWS = ['endpoints', 'deliveries'] as const;

/** The endpoints that receive events with the live feed, and the deliveries to all of them. */
export function Webhooks() {
  const { t } = useTranslation('webhooks');
  const [state, change] = useAddress<{ view?: string | undefined }>();
  const view = VIEWS.find((one) => one === state.view) ?? 'endpoints';
  const [isCreating, setIsCreating] = useState(false);
  return (
    <Page
      title={t('title')}
      note={t('note')}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
          {t('addEndpoint')}
        </Button>
      }
    >
      <Tabs
        value={view}
        keepMounted={false}
        onChange={(chosen) => change({ view: chosen === 'endpoints' ? undefined : (chosen ?? undefined) })}
      >
        <Tabs.List aria-label={t('parts')}>
          {VIEWS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(one)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="endpoints" pt="md">
          <Stack>
            <Endpoints />
            <LiveFeed />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="deliveries" pt="md">
          <Stack>
            <Statistics />
            <Deliveries />
          </Stack>
        </Tabs.Panel>
      </Tabs>
      {isCreating && <CreateWebhook onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function Endpoints() {
  const { t } = useTranslation('webhooks');
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: () => answerOf(client.GET('/webhooks', { params: { query: { limit: MAX_ENDPOINTS } } })),
  });
  const rows = webhooks.data?.data ?? [];
  return (
    <>
      <Reading of={t('webhooksNoun')} query={webhooks} />
      {webhooks.isSuccess && rows.length === 0 && <Empty title={t('noEndpoint')}>{t('noEndpointHint')}</Empty>}
      {rows.length > 0 && (
        <WideTable label={t('endpoints')} minWidth={600} heads={[t('endpoint'), t('state'), t('subscriptions')]}>
          {rows.map((one) => (
            <EndpointRow key={one.id} endpoint={one} />
          ))}
        </WideTable>
      )}
    </>
  );
}

function EndpointRow({ endpoint }: { readonly endpoint: Schemas['WebhookResponse'] }) {
  const { id, name, url, subscribed_events: events } = endpoint;
  return (
    <Table.Tr>
      <Table.Td>
        <ScreenLink to={`/webhooks/${id}`} size="sm" fw={500} title={id}>
          {name}
        </ScreenLink>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {url}
        </Text>
      </Table.Td>
      <Table.Td>
        <HealthBadge of={endpoint} />
      </Table.Td>
      <Table.Td>
        <Text size="xs" title={events.join('\n')} lineClamp={2}>
          {events.join(', ')}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}
