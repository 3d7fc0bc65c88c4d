import { Alert, Button, Card, Group, Menu, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useParameter } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useWrite } from '../../data/use-write.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Failure, Reading } from '../../ui/states.js';
import { Deliveries } from './deliveries.js';
import { disabledState, reasonText } from '../../data/disabled-reason.js';
import { HealthBadge, useHealth } from './health-badge.js';
import { type Sample, SignatureCheck } from './signature-check.js';
import { DeleteWebhook, ResendMissed, RotateSecret } from './webhook-forms.js';

type Endpoint = Schemas['WebhookResponse'];

/** One endpoint: its health, its deliveries, and actions. */
export function Webhook() {
  const webhookId = useParameter('webhookId');
  const [step, setStep] = useState<'rotate' | 'resend' | 'delete' | null>(null);
  const [sample, setSample] = useState<Sample | null>(null);
  const webhook = useQuery({
    queryKey: ['webhook', webhookId],
    queryFn: () => answerOf(client.GET('/webhooks/{webhookId}', { params: { path: { webhookId } } })),
  });
  const test = useWrite(
    (_: Record<string, never>, header) =>
      answerOf(
        client.POST('/webhooks/{webhookId}/test', {
          params: { path: { webhookId }, header },
          body: { event_type: 'webhook.test' },
        }),
      ),
    {
      onSuccess: ({ data: { headers, payload } }) =>
        setSample({
          id: headers['Service-Webhook-Id'],
          timestamp: headers['Service-Webhook-Timestamp'],
          signature: headers['Service-Webhook-Signature'],
          body: JSON.stringify(payload),
        }),
    },
  );
  const change = useWrite((body: Schemas['UpdateWebhookRequest'], header) =>
    answerOf(client.PATCH('/webhooks/{webhookId}', { params: { path: { webhookId }, header }, body })),
  );
  const close = (): void => setStep(null);
  const endpoint = webhook.data?.data;
  const isActive = endpoint?.status === 'active';
  return (
    <Page
      title={endpoint?.name ?? 'Webhook'}
      note={
        <>
          <ScreenLink to="/webhooks" size="sm" underline="always">
            Webhooks
          </ScreenLink>
          {endpoint !== undefined && ` · ${endpoint.url}`}
        </>
      }
      actions={
        endpoint !== undefined && (
          <>
            <Button
              variant="default"
              size="xs"
              disabled={!isActive}
              loading={test.isPending}
              onClick={() => test.mutate({})}
            >
              Send a test
            </Button>
            <Button
              variant="default"
              size="xs"
              loading={change.isPending}
              onClick={() => change.mutate({ status: isActive ? 'disabled' : 'active' })}
            >
              {isActive ? 'Disable' : 'Enable'}
            </Button>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" size="xs" rightSection={<IconChevronDown size={14} aria-hidden />}>
                  More
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item disabled={!isActive} onClick={() => setStep('resend')}>
                  Resend since…
                </Menu.Item>
                <Menu.Item onClick={() => setStep('rotate')}>Replace the secret…</Menu.Item>
                <Menu.Item color="red" onClick={() => setStep('delete')}>
                  Delete…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
    >
      <Reading of="the webhook" query={webhook} />
      {test.isError && <Failure error={test.error} />}
      {change.isError && <Failure error={change.error} />}
      {endpoint !== undefined && (
        <Stack>
          {endpoint.disabled_reason !== null && (
            <Alert
              variant={endpoint.disabled_reason === 'caller' ? 'default' : 'light'}
              color="red"
              title={`Disabled ${endpoint.disabled_at === null ? '' : dateTimeFormat(endpoint.disabled_at)}`}
            >
              {reasonText(endpoint.disabled_reason)}
            </Alert>
          )}
          <Numbers of={endpoint} />
          <Deliveries webhookId={webhookId} />
          <SignatureCheck sample={sample} />
          {step === 'rotate' && <RotateSecret webhook={endpoint} onClose={close} />}
          {step === 'resend' && <ResendMissed webhook={endpoint} onClose={close} />}
          {step === 'delete' && <DeleteWebhook webhook={endpoint} onClose={close} />}
        </Stack>
      )}
    </Page>
  );
}

function Numbers({ of: endpoint }: { readonly of: Endpoint }) {
  const health = useHealth(endpoint.id);
  const state = disabledState(endpoint.disabled_reason);
  if (health.data === undefined) return null;
  const { counts, last_failure: failure, last_success_at: success, next_attempt_at: next } = health.data.data;
  return (
    <Card withBorder component="section" aria-label="Health" padding="md">
      <Group gap="xs" mb="xs">
        {endpoint.status === 'active' ? (
          <HealthBadge webhookId={endpoint.id} />
        ) : (
          <StateBadge tone={state.tone}>{state.text}</StateBadge>
        )}
        <Text size="xs" c="dimmed">
          {endpoint.subscribed_events.join(', ')}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Figure
          label="Delivered"
          value={String(counts.delivered)}
          note={success === null ? null : `last ${dateTimeFormat(success)}`}
        />
        <Figure label="Waiting" value={String(counts.pending)} note={null} />
        <Figure
          label="To be tried again"
          value={String(counts.retry_scheduled)}
          note={next === null ? null : `next ${dateTimeFormat(next)}`}
        />
        <Figure
          label="Failed for good"
          value={String(counts.failed)}
          note={failure === null ? null : (failure.failure_message ?? null)}
        />
      </SimpleGrid>
    </Card>
  );
}

function Figure({
  label,
  value,
  note,
}: {
  readonly label: string;
  readonly value: string;
  readonly note: string | null;
}) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600}>
        {value}
      </Text>
      {note !== null && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </div>
  );
}
