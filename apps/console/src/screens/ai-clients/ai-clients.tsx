import { Button, Card, Group, List, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { shortDayText, today } from '../../data/days.js';
import { readFromConsole, request, useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { Page } from '../../ui/page.js';
import { Empty, Reading } from '../../ui/states.js';
import { ConnectAiClient, ROUTE } from './connect-ai-client.js';

/** An AI client that reads as its user, see docs/reference/console-session.md. */
interface AiClient {
  readonly id: string;
  readonly name: string;
  readonly user: { readonly id: string; readonly email: string };
  readonly created_at: string;
  readonly expires_at: string;
}

/** The AI clients of the user, for administrators those of all users. `?connect` opens the form for a new one. */
export function AiClients() {
  const { t } = useTranslation('ai-clients');
  const { user } = useSession();
  const [{ connect }, change] = useAddress<{ connect?: string }>();
  const [ended, setEnded] = useState<AiClient | null>(null);
  const clients = useQuery({
    queryKey: ['ai-clients'],
    queryFn: () => readFromConsole<readonly AiClient[]>(ROUTE),
  });
  const actions = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => change({ connect: 'new' })}>
      {t('connect')}
    </Button>
  );
  return (
    <Page title={t('title')} note={t('note')} actions={actions}>
      <Reading of={t('title')} query={clients} />
      {clients.data?.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {clients.data !== undefined && clients.data.length > 0 && (
        <List listStyleType="none" spacing="xs" aria-label={t('title')} styles={{ itemWrapper: { display: 'block' } }}>
          {clients.data.map((client) => (
            <List.Item key={client.id}>
              <Row client={client} isOwn={client.user.id === user.id} onDisconnect={() => setEnded(client)} />
            </List.Item>
          ))}
        </List>
      )}
      {connect !== undefined && <ConnectAiClient onClose={() => change({ connect: undefined })} />}
      {ended !== null && <Disconnection client={ended} onClose={() => setEnded(null)} />}
    </Page>
  );
}

interface RowProperties {
  readonly client: AiClient;
  readonly isOwn: boolean;
  readonly onDisconnect: () => void;
}

function Row({ client, isOwn, onDisconnect }: RowProperties) {
  const { t } = useTranslation('ai-clients');
  const { name, user, created_at: createdAt, expires_at: expiresAt } = client;
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600}>{name}</Text>
          {!isOwn && <Text size="sm">{t('ownedBy', { email: user.email })}</Text>}
          <Text size="sm" c="dimmed">
            {t('connectedOn', { day: dayOf(createdAt) })} · {t('until', { day: dayOf(expiresAt) })}
          </Text>
        </div>
        <Button size="xs" variant="default" onClick={onDisconnect} aria-label={t('disconnectOf', { name })}>
          {t('disconnect')}
        </Button>
      </Group>
    </Card>
  );
}

/** The day of a time for people. */
const dayOf = (instant: string): string => shortDayText(today(new Date(instant)));

function Disconnection({ client: { id, name }, onClose }: { readonly client: AiClient; readonly onClose: () => void }) {
  const { t } = useTranslation('ai-clients');
  const write = useWrite((clientId: string, headers) => request('DELETE', `${ROUTE}/${clientId}`, undefined, headers), {
    onSuccess: onClose,
  });
  return (
    <Confirmation
      title={t('disconnectTitle', { name })}
      action={t('disconnect')}
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(id) }}
      onClose={onClose}
    >
      {t('disconnectText')}
    </Confirmation>
  );
}
