import { Alert, Button, Card, Group, Menu, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParameter } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useWrite } from '../../data/use-write.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Failure, Reading } from '../../ui/states.js';
import { Deliveries } from './deliveries.js';
import { disabledState, reasonText } from '../../data/disabled-reason.js';
import { HealthBadge, useHealth } from './health-badge.js';
import { type Sample, SignatureCheck } from './signature-check.js';
import { Statistics } from './statistics.js';
import { DeleteWebhook, EditWebhook, ResendMissed, RotateSecret } from './webhook-forms.js';

type Endpoint = Schemas['WebhookResponse'];

/** One endpoint: its health, its deliveries, and actions. */
export function Webhook() {
  const { t } = useTranslation('webhooks');
  const webhookId = useParameter('webhookId');
  const [step, setStep] = useState<'edit' | 'rotate' | 'resend' | 'delete' | null>(null);
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
      title={endpoint?.name ?? t('webhook')}
      note={
        <>
          <ScreenLink to="/webhooks" size="sm" underline="always">
            {t('title')}
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
              {t('sendTest')}
            </Button>
            <Button
              variant="default"
              size="xs"
              loading={change.isPending}
              onClick={() => change.mutate({ status: isActive ? 'disabled' : 'active' })}
            >
              {isActive ? t('disable') : t('enable')}
            </Button>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" size="xs" rightSection={<IconChevronDown size={14} aria-hidden />}>
                  {t('moreActions')}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => setStep('edit')}>{t('edit')}</Menu.Item>
                <Menu.Item disabled={!isActive} onClick={() => setStep('resend')}>
                  {t('resendSince')}
                </Menu.Item>
                <Menu.Item onClick={() => setStep('rotate')}>{t('replaceSecret')}</Menu.Item>
                <Menu.Item color="red" onClick={() => setStep('delete')}>
                  {t('deleteAction')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
    >
      <Reading of={t('webhookNoun')} query={webhook} />
      {test.isError && <Failure error={test.error} />}
      {change.isError && <Failure error={change.error} />}
      {endpoint !== undefined && (
        <Stack>
          {endpoint.disabled_reason !== null && (
            <Alert
              variant={endpoint.disabled_reason === 'caller' ? 'default' : 'light'}
              color="red"
              title={
                endpoint.disabled_at === null
                  ? disabledState(endpoint.disabled_reason).text
                  : t('disabledAt', { time: dateTimeFormat(endpoint.disabled_at) })
              }
            >
              {reasonText(endpoint.disabled_reason)}
            </Alert>
          )}
          <Numbers of={endpoint} />
          <Statistics webhookId={webhookId} />
          <Deliveries webhookId={webhookId} />
          <SignatureCheck sample={sample} />
          {step === 'edit' && <EditWebhook webhook={endpoint} onClose={close} />}
          {step === 'rotate' && <RotateSecret webhook={endpoint} onClose={close} />}
          {step === 'resend' && <ResendMissed webhook={endpoint} onClose={close} />}
          {step === 'delete' && <DeleteWebhook webhook={endpoint} onClose={close} />}
        </Stack>
      )}
    </Page>
  );
}

function Numbers({ of: endpoint }: { readonly of: Endpoint }) {
  const { t } = useTranslation('webhooks');
  const health = useHealth(endpoint.id);
  if (health.data === undefined) return null;
  const { counts, last_failure: failure, last_success_at: success, next_attempt_at: next } = health.data.data;
  return (
    <Card withBorder component="section" aria-label={t('health')} padding="md">
      <Group gap="xs" mb="xs">
        <HealthBadge of={endpoint} />
        <Text size="xs" c="dimmed">
          {endpoint.subscribed_events.join(', ')}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Figure
          label={t('numbers.delivered')}
          value={String(counts.delivered)}
          note={success === null ? null : t('numbers.last', { time: dateTimeFormat(success) })}
        />
        <Figure label={t('numbers.waiting')} value={String(counts.pending)} note={null} />
        <Figure
          label={t('numbers.retried')}
          value={String(counts.retry_scheduled)}
          note={next === null ? null : t('numbers.next', { time: dateTimeFormat(next) })}
        />
        <Figure
          label={t('numbers.failed')}
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
