import { Button, Code, Group, Stack, Table, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import i18next from 'i18next';
import { Trans, useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { CreateApiKey } from './create-api-key.js';
import { KeysToRevoke } from './keys-to-revoke.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type ApiKey = Schemas['ApiKeyResponse'];

const MAX_DISPLAYED_SCOPES = 3;
const TONES = { active: 'good', expired: 'quiet', revoked: 'bad' } as const;

interface ApiKeysProperties {
  /** Only the keys of this environment; all by default. */
  readonly environment?: ApiKey['environment'];
}

/** The keys of the organisation, with creation and revocation. */
export function ApiKeys({ environment }: ApiKeysProperties) {
  const { t } = useTranslation('access');
  const mayRequests = useMay('requests:read');
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const keys = usePages(['api-keys'], (after) => answerOf(client.GET('/api-keys', { params: { query: after } })));
  const rows = keys.items.filter((key) => environment === undefined || key.environment === environment);
  return (
    <Stack gap="md">
      <Group>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
          {t(environment === 'sandbox' ? 'keys.createTest' : 'keys.create')}
        </Button>
      </Group>
      <Reading of={t('keys.reading')} query={keys} />
      {keys.isSuccess && rows.length === 0 && <Empty title={t('keys.none')}>{t('keys.noneHint')}</Empty>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={820}>
          <Table highlightOnHover verticalSpacing={6} aria-label={t('apiKeys')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('name')}</Table.Th>
                <Table.Th>{t('keys.key')}</Table.Th>
                <Table.Th>{t('keys.scopes')}</Table.Th>
                <Table.Th>{t('state')}</Table.Th>
                <Table.Th>{t('keys.created')}</Table.Th>
                <Table.Th>{t('keys.madeBy')}</Table.Th>
                <Table.Th>{t('keys.action')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((key) => (
                <Table.Tr key={key.id}>
                  <Table.Td>
                    <Text size="sm" fw={500}>
                      {key.name}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Code style={{ whiteSpace: 'nowrap' }}>{`${key.prefix}…${key.last_four}`}</Code>
                  </Table.Td>
                  <Table.Td>
                    <Scopes of={key} />
                  </Table.Td>
                  <Table.Td>
                    <State of={key} />
                  </Table.Td>
                  <Table.Td>{dateTimeFormat(key.created_at)}</Table.Td>
                  <Table.Td>{key.made_by === null ? '' : makerText(key.made_by)}</Table.Td>
                  <Table.Td>
                    <Group gap="xs" wrap="nowrap">
                      {key.status === 'active' && (
                        <Button
                          size="compact-sm"
                          variant="default"
                          onClick={() => setRevoked(key)}
                          aria-label={t('keys.revokeKey', { name: key.name })}
                        >
                          {t('keys.revoke')}
                        </Button>
                      )}
                      {mayRequests && (
                        <ScreenLink
                          to="/requests"
                          search={{ key: key.id }}
                          size="sm"
                          aria-label={t('keys.requestsOf', { name: key.name })}
                        >
                          {t('keys.requests')}
                        </ScreenLink>
                      )}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ShowMore of={keys} />
      {isCreating && <CreateApiKey first={environment ?? 'live'} onClose={() => setIsCreating(false)} />}
      {revoked !== null && <Revocation of={revoked} onClose={() => setRevoked(null)} />}
    </Stack>
  );
}

function makerText({ type, id, name }: NonNullable<ApiKey['made_by']>): string {
  return type === 'user' ? (name ?? id) : i18next.t(`access:keys.makers.${type}`, { name: name ?? id });
}

function Scopes({ of: { scopes } }: { readonly of: ApiKey }) {
  const { t } = useTranslation('access');
  const rest = scopes.length - MAX_DISPLAYED_SCOPES;
  return (
    <Text size="xs" title={scopes.join('\n')}>
      {scopes.slice(0, MAX_DISPLAYED_SCOPES).join(', ')}
      {rest > 0 && <Text span size="xs" c="dimmed">{` ${t('keys.andMore', { count: rest })}`}</Text>}
    </Text>
  );
}

function State({ of: key }: { readonly of: ApiKey }) {
  const { t } = useTranslation('access');
  const until = key.status === 'active' ? key.expires_at : (key.revoked_at ?? key.expires_at);
  return (
    <div>
      <Group gap={6} wrap="nowrap">
        <StateBadge tone={TONES[key.status]}>{t(`keys.status.${key.status}`)}</StateBadge>
        {key.environment === 'sandbox' && <StateBadge tone="quiet">{t('keys.test')}</StateBadge>}
      </Group>
      {until !== null && (
        <Text size="xs" c="dimmed">
          {key.status === 'active' ? t('keys.until', { time: dateTimeFormat(until) }) : dateTimeFormat(until)}
        </Text>
      )}
    </div>
  );
}

function Revocation({ of: key, onClose }: { readonly of: ApiKey; readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const [revokesKeys, setRevokesKeys] = useState(true);
  const write = useWrite(
    (input: { readonly keyId: string; readonly revokesKeys: boolean }, header) =>
      answerOf(
        client.POST('/api-keys/{keyId}/revoke', {
          params: { path: { keyId: input.keyId }, header },
          body: { revoke_keys: input.revokesKeys },
        }),
      ),
    { onSuccess: onClose },
  );
  return (
    <Confirmation
      title={t('keys.revokeTitle', { name: key.name })}
      action={t('keys.revoke')}
      write={{
        isPending: write.isPending,
        error: write.error,
        mutate: () => write.mutate({ keyId: key.id, revokesKeys }),
      }}
      onClose={onClose}
    >
      <Trans
        t={t}
        i18nKey="keys.revokeText"
        values={{ key: `${key.prefix}…${key.last_four}` }}
        components={[<Code key="key" />]}
      />
      <KeysToRevoke maker={key.id} isChosen={revokesKeys} onChange={setRevokesKeys} />
    </Confirmation>
  );
}
