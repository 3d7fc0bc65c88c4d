import { Checkbox, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client } from '../../data/client.js';

interface KeysToRevokeProperties {
  /** Id of the user or the key. */
  readonly maker: string;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

/**
 * Whether the keys that a user or key created are revoked with its access, and which these are; the keys that
 * these created are revoked too.
 */
export function KeysToRevoke({ maker, isChosen, onChange }: KeysToRevokeProperties) {
  const { t } = useTranslation('access');
  const keys = useQuery({
    queryKey: ['api-keys', 'made-by', maker],
    queryFn: () => answerOf(client.GET('/api-keys', { params: { query: { limit: 200 } } })),
  });
  const made = (keys.data?.data ?? []).filter((key) => key.status === 'active' && key.made_by?.id === maker);
  return (
    <>
      <Checkbox
        mt="sm"
        label={t('revokeKeys.label')}
        checked={isChosen}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {made.length > 0 && (
        <List size="sm" mt="xs" aria-label={t('revokeKeys.list')}>
          {made.map((key) => (
            <List.Item key={key.id}>{`${key.name} (${key.prefix}…${key.last_four})`}</List.Item>
          ))}
        </List>
      )}
    </>
  );
}
