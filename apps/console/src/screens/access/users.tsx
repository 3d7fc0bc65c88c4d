import { ActionIcon, Button, Group, Menu, Stack, Table, Text } from '@mantine/core';
import { IconDots, IconUserPlus } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { KeysToRevoke } from './keys-to-revoke.js';
import { ChangeRole, InviteUser, LinkPerson, SignInLink } from './user-forms.js';
import { useNames } from '../../data/use-names.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type User = Schemas['ListedUserResponse'];
type Change = 'unlink' | 'deactivate' | 'reactivate' | 'sign-out';
type Step = 'role' | 'link' | 'person' | Change;

/** The people who sign in, with invitations and changes of their access. */
export function Users() {
  const { t } = useTranslation(['access', 'common']);
  const [isInviting, setIsInviting] = useState(false);
  const [chosen, setChosen] = useState<{ readonly user: User; readonly step: Step } | null>(null);
  const { user: self } = useSession();
  const users = usePages(['users'], (after) => answerOf(client.GET('/users', { params: { query: after } })));
  const { items: rows } = users;
  const names = useNames(rows.map(({ person_id: id }) => id));
  const close = (): void => setChosen(null);
  return (
    <Stack gap="md">
      <Group>
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setIsInviting(true)}>
          {t('invite.title')}
        </Button>
      </Group>
      <Reading of={t('user.reading')} query={users} />
      {users.isSuccess && rows.length === 0 && <Empty title={t('user.none')}>{t('user.noneHint')}</Empty>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={860}>
          <Table highlightOnHover verticalSpacing={6} aria-label={t('users')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('invite.email')}</Table.Th>
                <Table.Th>{t('role.role')}</Table.Th>
                <Table.Th>{t('state')}</Table.Th>
                <Table.Th>{t('user.signsInBy')}</Table.Th>
                <Table.Th>{t('user.since')}</Table.Th>
                <Table.Th>{t('actions')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((user) => (
                <Table.Tr key={user.id}>
                  <Table.Td>
                    <Text size="sm" fw={500}>
                      {user.email}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {t(`common:roles.${user.role}`)}
                    {user.person_id !== null && (
                      <ScreenLink to={`/people/${user.person_id}`} size="xs" display="block" title={user.person_id}>
                        {names.of(user.person_id) ?? t('person.linked')}
                      </ScreenLink>
                    )}
                  </Table.Td>
                  <Table.Td>
                    <StateBadge tone={user.status === 'active' ? 'good' : 'quiet'}>
                      {t(`user.status.${user.status}`)}
                    </StateBadge>
                    {user.sessions > 0 && (
                      <Text size="xs" c="dimmed">
                        {t('user.sessions', { count: user.sessions })}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{t(user.signs_in_by === 'link' ? 'user.link' : 'user.provider')}</Table.Td>
                  <Table.Td>{dateTimeFormat(user.created_at)}</Table.Td>
                  <Table.Td>
                    {user.id === self.id ? (
                      <Text size="xs" c="dimmed">
                        {t('user.you')}
                      </Text>
                    ) : (
                      <Actions of={user} onChoose={(step) => setChosen({ user, step })} />
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ShowMore of={users} />
      {isInviting && <InviteUser onClose={() => setIsInviting(false)} />}
      {chosen?.step === 'role' && <ChangeRole user={chosen.user} onClose={close} />}
      {chosen?.step === 'link' && <SignInLink user={chosen.user} onClose={close} />}
      {chosen?.step === 'person' && <LinkPerson user={chosen.user} onClose={close} />}
      {chosen !== null && chosen.step !== 'role' && chosen.step !== 'link' && chosen.step !== 'person' && (
        <ConfirmChange user={chosen.user} step={chosen.step} onClose={close} />
      )}
    </Stack>
  );
}

function Actions({ of: user, onChoose }: { readonly of: User; readonly onChoose: (step: Step) => void }) {
  const { t } = useTranslation('access');
  const isActive = user.status !== 'deactivated';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('user.actionsFor', { email: user.email })}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isActive && <Menu.Item onClick={() => onChoose('role')}>{t('user.changeRole')}</Menu.Item>}
        {isActive && user.signs_in_by === 'link' && (
          <Menu.Item onClick={() => onChoose('link')}>{t('user.newLink')}</Menu.Item>
        )}
        {user.person_id === null ? (
          <Menu.Item onClick={() => onChoose('person')}>{t('person.link')}</Menu.Item>
        ) : (
          <Menu.Item onClick={() => onChoose('unlink')}>{t('person.unlink')}</Menu.Item>
        )}
        {isActive && <Menu.Item onClick={() => onChoose('sign-out')}>{t('user.signOut')}</Menu.Item>}
        {isActive ? (
          <Menu.Item color="red" onClick={() => onChoose('deactivate')}>
            {t('user.deactivate')}
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => onChoose('reactivate')}>{t('user.reactivate')}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function ConfirmChange({
  user,
  step,
  onClose,
}: {
  readonly user: User;
  readonly step: Change;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('access');
  const [revokesKeys, setRevokesKeys] = useState(true);
  const write = useWrite(
    async (input: { readonly userId: string; readonly step: Change; readonly revokesKeys: boolean }, header) => {
      const params = { path: { userId: input.userId }, header };
      if (input.step === 'deactivate')
        await client.POST('/users/{userId}/deactivate', { params, body: { revoke_keys: input.revokesKeys } });
      else if (input.step === 'unlink') await client.POST('/users/{userId}/unlink', { params });
      else if (input.step === 'reactivate') await client.POST('/users/{userId}/reactivate', { params });
      else await client.DELETE('/users/{userId}/sessions', { params });
    },
    { onSuccess: onClose },
  );
  return (
    <Confirmation
      title={t('change.title', { action: t(`change.${step}.action`), email: user.email })}
      action={t(`change.${step}.action`)}
      write={{
        isPending: write.isPending,
        error: write.error,
        mutate: () => write.mutate({ userId: user.id, step, revokesKeys }),
      }}
      onClose={onClose}
    >
      {t(`change.${step}.text`)}
      {step === 'deactivate' && <KeysToRevoke maker={user.id} isChosen={revokesKeys} onChange={setRevokesKeys} />}
    </Confirmation>
  );
}
