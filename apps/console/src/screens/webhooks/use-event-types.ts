import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client, type Schemas, type Scope } from '../../data/client.js';
import { useSession } from '../../data/session.js';

/** A type of events that endpoints receive. */
export type EventType = Schemas['CreateWebhookRequest']['subscribed_events'][number];

/** The types of events that the user may subscribe to. */
export function useEventTypes(): readonly EventType[] {
  const { scopes } = useSession();
  const { data } = useQuery({
    queryKey: ['metadata'],
    queryFn: () => answerOf(client.GET('/metadata', {})),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const events = data?.data.webhook_events ?? [];
  return events
    .filter(({ required_scopes: needed }) => needed.every((scope) => scopes.includes(scope as Scope)))
    .map(({ event_type }) => event_type);
}
