import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { disabledState } from '../../data/disabled-reason.js';
import { StateBadge } from '../../ui/state-badge.js';

const TONES = { healthy: 'good', failing: 'bad', recovering: 'watch', unknown: 'quiet' } as const;

/** The health of an endpoint with its numbers, polled every few seconds while it is visible. */
export function useHealth(webhookId: string) {
  return useQuery({
    queryKey: ['webhook-health', webhookId],
    queryFn: () => answerOf(client.GET('/webhooks/{webhookId}/health', { params: { path: { webhookId } } })),
    refetchInterval: 10_000,
  });
}

/** Whether the endpoint accepts deliveries. An endpoint that the service disabled needs attention. */
export function HealthBadge({ of: endpoint }: { readonly of: Schemas['WebhookResponse'] }) {
  const { t } = useTranslation('webhooks');
  const health = useHealth(endpoint.id).data?.data.health;
  if (endpoint.status === 'disabled') {
    const { tone, text } = disabledState(endpoint.disabled_reason);
    return <StateBadge tone={tone}>{text}</StateBadge>;
  }
  if (health === undefined) return null;
  return <StateBadge tone={TONES[health]}>{t(`healths.${health}`)}</StateBadge>;
}
