import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { StateBadge } from '../../ui/state-badge.js';
import { client } from '../../data/client.js';

const TONES = { healthy: 'good', failing: 'bad', recovering: 'watch', unknown: 'quiet' } as const;
const WORDS = {
  healthy: 'healthy',
  failing: 'failing',
  recovering: 'recovering',
  unknown: 'nothing sent yet',
} as const;

/** The health of an endpoint with its numbers, polled every few seconds while it is visible. */
export function useHealth(webhookId: string) {
  return useQuery({
    queryKey: ['webhook-health', webhookId],
    queryFn: () => answerOf(client.GET('/webhooks/{webhookId}/health', { params: { path: { webhookId } } })),
    refetchInterval: 10_000,
  });
}

/** Whether the endpoint accepts deliveries. */
export function HealthBadge({ webhookId }: { readonly webhookId: string }) {
  const health = useHealth(webhookId).data?.data.health;
  if (health === undefined) return null;
  return <StateBadge tone={TONES[health]}>{WORDS[health]}</StateBadge>;
}
