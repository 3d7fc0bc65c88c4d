import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';

/** An API key, a user, an operator or the service. */
export type Actor = Schemas['ActivityResponse']['actor'];

/** The kinds of actors, in the order of the filter. */
export const ACTOR_TYPES: readonly Actor['type'][] = ['user', 'api_key', 'operator', 'system'];

/** An actor by name, with the kind except for users; the id is shown while it is pointed at. */
export function ActorText({ of: { type, id, name } }: { readonly of: Actor }) {
  const { t } = useTranslation('audit');
  return (
    <span title={id}>
      <Text span inherit fw={600}>
        {type === 'system' ? t('service') : (name ?? id)}
      </Text>
      {(type === 'api_key' || type === 'operator') && ` (${t(`actors.${type}`)})`}
    </span>
  );
}
