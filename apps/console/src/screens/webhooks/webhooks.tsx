import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client } from '../../data/client.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { CreateWebhook } from './create-webhook.js';
import { disabledState, type DisabledReason } from '../../data/disabled-reason.js';
import { HealthBadge } from './health-badge.js';
import { LiveFeed } from './live-feed.js';

const MAX_ENDPOINTS = 200;

/** The endpoints that receive events, and the live feed. */
export function Webhooks() {
  const [isCreating, setIsCreating] = useState(false);
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: () => answerOf(client.GET('/webhooks', { params: { query: { limit: MAX_ENDPOINTS } } })),
  });
  const rows = webhooks.data?.data ?? [];
  return (
    <Page
      title="Webhooks"
      note="Webhooks send ids and types of changes to other systems, without contents."
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
          Add an endpoint
        </Button>
      }
    >
      <Reading of="webhooks" query={webhooks} />
      {webhooks.isSuccess && rows.length === 0 && (
        <Empty title="No endpoint yet">Add the address of a system that is to be notified, such as payroll.</Empty>
      )}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={600}>
          <Table highlightOnHover verticalSpacing={6} aria-label="Endpoints">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Endpoint</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Subscriptions</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((one) => (
                <Table.Tr key={one.id}>
                  <Table.Td>
                    <ScreenLink to={`/webhooks/${one.id}`} fw={500}>
                      {one.name}
                    </ScreenLink>
                    <Text size="xs" c="dimmed" lineClamp={1}>
                      {one.url}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Group gap={6} wrap="nowrap">
                      {one.status === 'active' ? (
                        <HealthBadge webhookId={one.id} />
                      ) : (
                        <Disabled reason={one.disabled_reason} />
                      )}
                    </Group>
                  </Table.Td>
                  <Table.Td>
                    <Text size="xs" title={one.subscribed_events.join('\n')} lineClamp={2}>
                      {one.subscribed_events.join(', ')}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Stack gap="xs">
        <LiveFeed />
      </Stack>
      {isCreating && <CreateWebhook onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function Disabled({ reason }: { readonly reason: DisabledReason | null }) {
  const { tone, text } = disabledState(reason);
  return <StateBadge tone={tone}>{text}</StateBadge>;
}
