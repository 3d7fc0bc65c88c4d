import { ActionIcon, Button, Group, Menu, Stack, Table, Text } from '@mantine/core';
import { IconDots, IconUserPlus } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
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
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';

type User = Schemas['ListedUserResponse'];
type Step = 'role' | 'link' | 'person' | 'unlink' | 'deactivate' | 'reactivate' | 'sign-out';

/** The people who sign in, with invitations and changes of their access. */
export function Users() {
  const [isInviting, setIsInviting] = useState(false);
  const [chosen, setChosen] = useState<{ readonly user: User; readonly step: Step } | null>(null);
  const { user: self } = useSession();
  const users = usePages(['users'], (after) => answerOf(client.GET('/users', { params: { query: after } })));
  const { items: rows } = users;
  const close = (): void => setChosen(null);
  return (
    <Stack gap="md">
      <Group>
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setIsInviting(true)}>
          Invite a user
        </Button>
      </Group>
      <Reading of="users" query={users} />
      {users.isSuccess && rows.length === 0 && <Empty title="No users yet">Invite the first person.</Empty>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={680}>
          <Table highlightOnHover verticalSpacing={6} aria-label="Users">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>E-mail address</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Signs in by</Table.Th>
                <Table.Th>Since</Table.Th>
                <Table.Th>Actions</Table.Th>
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
                    {user.role}
                    {user.person_id !== null && (
                      <ScreenLink to={`/people/${user.person_id}`} size="xs" display="block" title={user.person_id}>
                        linked with a person
                      </ScreenLink>
                    )}
                  </Table.Td>
                  <Table.Td>
                    <StateBadge tone={user.status === 'active' ? 'good' : 'quiet'}>{user.status}</StateBadge>
                    {user.sessions > 0 && (
                      <Text size="xs" c="dimmed">
                        {user.sessions === 1 ? 'signed in' : `${user.sessions} sessions`}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{user.signs_in_by === 'link' ? 'link' : 'OpenID provider'}</Table.Td>
                  <Table.Td>{dateTimeFormat(user.created_at)}</Table.Td>
                  <Table.Td>
                    {user.id === self.id ? (
                      <Text size="xs" c="dimmed">
                        you
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
        <Change user={chosen.user} step={chosen.step} onClose={close} />
      )}
    </Stack>
  );
}

function Actions({ of: user, onChoose }: { readonly of: User; readonly onChoose: (step: Step) => void }) {
  const isActive = user.status !== 'deactivated';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.email}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isActive && <Menu.Item onClick={() => onChoose('role')}>Change role…</Menu.Item>}
        {isActive && user.signs_in_by === 'link' && (
          <Menu.Item onClick={() => onChoose('link')}>New sign-in link…</Menu.Item>
        )}
        {user.person_id === null ? (
          <Menu.Item onClick={() => onChoose('person')}>Link with a person…</Menu.Item>
        ) : (
          <Menu.Item onClick={() => onChoose('unlink')}>Unlink from the person…</Menu.Item>
        )}
        {isActive && <Menu.Item onClick={() => onChoose('sign-out')}>Sign out everywhere…</Menu.Item>}
        {isActive ? (
          <Menu.Item color="red" onClick={() => onChoose('deactivate')}>
            Deactivate…
          </Menu.Item>
        ) : (
          <Menu.Item onClick={() => onChoose('reactivate')}>Reactivate…</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const CHANGES = {
  unlink: ['Unlink', 'They are no person of the organisation any more. All their sessions end within a second.'],
  deactivate: ['Deactivate', 'Their sessions end within a second, and they cannot sign in.'],
  reactivate: [
    'Reactivate',
    'They may sign in again, with the role that they had. API keys that were revoked stay revoked.',
  ],
  'sign-out': [
    'Sign out everywhere',
    'All their sessions end within a second, and their link no longer works. They may sign in again.',
  ],
} as const;

function Change({
  user,
  step,
  onClose,
}: {
  readonly user: User;
  readonly step: keyof typeof CHANGES;
  readonly onClose: () => void;
}) {
  const [revokesKeys, setRevokesKeys] = useState(true);
  const write = useWrite(
    async (
      input: { readonly userId: string; readonly step: keyof typeof CHANGES; readonly revokesKeys: boolean },
      header,
    ) => {
      const params = { path: { userId: input.userId }, header };
      if (input.step === 'deactivate')
        await client.POST('/users/{userId}/deactivate', { params, body: { revoke_keys: input.revokesKeys } });
      else if (input.step === 'unlink') await client.POST('/users/{userId}/unlink', { params });
      else if (input.step === 'reactivate') await client.POST('/users/{userId}/reactivate', { params });
      else await client.DELETE('/users/{userId}/sessions', { params });
    },
    { onSuccess: onClose },
  );
  const [action, text] = CHANGES[step];
  return (
    <Confirmation
      title={`${action}: ${user.email}?`}
      action={action}
      write={{
        isPending: write.isPending,
        error: write.error,
        mutate: () => write.mutate({ userId: user.id, step, revokesKeys }),
      }}
      onClose={onClose}
    >
      {text}
      {step === 'deactivate' && <KeysToRevoke maker={user.id} isChosen={revokesKeys} onChange={setRevokesKeys} />}
    </Confirmation>
  );
}
