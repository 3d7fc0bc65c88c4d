import { Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { issueOf } from '../../data/issue-of.js';
import { CheckGrid } from '../../ui/check-grid.js';
import { type EventType, useEventTypes } from './use-event-types.js';

/** What a user decides about an endpoint. */
export interface EndpointInput {
  readonly name: string;
  readonly url: string;
  readonly subscribed_events: readonly EventType[];
}

interface EndpointFieldsProperties {
  readonly value: EndpointInput;
  readonly error: Error | null;
  readonly onChange: (value: EndpointInput) => void;
}

/** Whether the service could accept this. */
export const isComplete = ({ name, url, subscribed_events: events }: EndpointInput): boolean =>
  name.trim() !== '' && url !== '' && events.length > 0;

/** The fields of a new or changed endpoint. */
export function EndpointFields({ value, error, onChange }: EndpointFieldsProperties) {
  const { t } = useTranslation('webhooks');
  const types = useEventTypes();
  // Subscriptions beyond the user's role stay, so that the service can refuse to change them.
  const options = [...types, ...value.subscribed_events.filter((type) => !types.includes(type))];
  return (
    <Stack>
      <TextInput
        label={t('name')}
        required
        value={value.name}
        onChange={({ currentTarget }) => onChange({ ...value, name: currentTarget.value })}
        error={issueOf(error, 'name')}
        data-autofocus
      />
      <TextInput
        label={t('address')}
        description={t('addressHint')}
        type="url"
        required
        placeholder="https://…"
        value={value.url}
        onChange={({ currentTarget }) => onChange({ ...value, url: currentTarget.value })}
        error={issueOf(error, 'url')}
      />
      <CheckGrid
        label={t('subscriptions')}
        description={t('subscriptionsHint')}
        options={options}
        value={value.subscribed_events}
        error={issueOf(error, 'subscribed_events')}
        onChange={(events) => onChange({ ...value, subscribed_events: events })}
      />
    </Stack>
  );
}
