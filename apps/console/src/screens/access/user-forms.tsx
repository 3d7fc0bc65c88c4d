import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { DoneButton } from '../../ui/done-button.js';
import { Failure } from '../../ui/states.js';
import { issueOf } from '../../data/issue-of.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { PersonSelect } from '../../ui/person-select.js';

type User = Schemas['UserResponse'];
type Role = User['role'];

const ROLES = [
  'employee',
  'manager',
  'viewer',
  'hr',
  'auditor',
  'integrator',
  'administrator',
] as const satisfies readonly Role[];

function Form({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
      {children}
    </Dialog>
  );
}

function Link({ link, onClose }: { readonly link: string | null; readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  return (
    <Stack>
      {link === null ? (
        <Text size="sm">{t('link.earlier')}</Text>
      ) : (
        <CopiedOnce what={t('link.theLink')} text={link} hint={t('link.hint')} />
      )}
      <DoneButton onClose={onClose} />
    </Stack>
  );
}

/** Invites a user; afterwards shows the link once. */
export function InviteUser({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const write = useWrite((body: Schemas['InviteUserRequest'], header) =>
    answerOf(client.POST('/users', { params: { header }, body })),
  );
  return (
    <Form title={t('invite.title')} onClose={onClose}>
      {write.isSuccess ? (
        <Link link={write.data.data.sign_in_link} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            write.mutate({ email, role });
          }}
        >
          <Stack>
            <TextInput
              label={t('invite.email')}
              type="email"
              required
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={issueOf(write.error, 'email')}
              data-autofocus
            />
            <RoleSelect value={role} onChange={setRole} error={issueOf(write.error, 'role')} />
            {write.isError && <Failure error={write.error} />}
            <FormButtons
              action={t('invite.invite')}
              isPending={write.isPending}
              isDisabled={email === ''}
              onClose={onClose}
            />
          </Stack>
        </form>
      )}
    </Form>
  );
}

/** Changes the role of a user. */
export function ChangeRole({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const [role, setRole] = useState<Role>(user.role);
  const write = useWrite(
    (body: { readonly role: Role }, header) =>
      answerOf(client.PATCH('/users/{userId}', { params: { path: { userId: user.id }, header }, body })),
    { onSuccess: onClose },
  );
  return (
    <Form title={t('role.title', { email: user.email })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ role });
        }}
      >
        <Stack>
          <RoleSelect value={role} onChange={setRole} error={undefined} />
          <Text size="sm" c="dimmed">
            {t('role.effect')}
            {user.signs_in_by === 'openid_connect' && ` ${t('role.provider')}`}
          </Text>
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('role.save')}
            isPending={write.isPending}
            isDisabled={role === user.role}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Form>
  );
}

/** Creates a new link for a user, and shows it once. */
export function SignInLink({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const write = useWrite((userId: string, header) =>
    answerOf(client.POST('/users/{userId}/sign-in-link', { params: { path: { userId }, header } })),
  );
  return (
    <Form title={t('link.title', { email: user.email })} onClose={onClose}>
      {write.isSuccess ? (
        <Link link={write.data.data.sign_in_link} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">{t('link.warning')}</Text>
          {write.isError && <Failure error={write.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button loading={write.isPending} onClick={() => write.mutate(user.id)} data-autofocus>
              {t('link.make')}
            </Button>
          </Group>
        </Stack>
      )}
    </Form>
  );
}

/** Says which person a user is. */
export function LinkPerson({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const [personId, setPersonId] = useState<string | null>(null);
  const write = useWrite(
    (body: Schemas['LinkUserRequest'], header) =>
      answerOf(client.POST('/users/{userId}/link', { params: { path: { userId: user.id }, header }, body })),
    { onSuccess: onClose },
  );
  return (
    <Form title={t('person.title', { email: user.email })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ person_id: personId! });
        }}
      >
        <Stack>
          <PersonSelect
            label={t('person.person')}
            value={personId}
            valueName={null}
            onChange={setPersonId}
            error={issueOf(write.error, 'person_id')}
            data-autofocus
          />
          <Text size="sm" c="dimmed">
            {t('person.effect')}
          </Text>
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('person.action')}
            isPending={write.isPending}
            isDisabled={personId === null}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Form>
  );
}

interface RoleSelectProperties {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
  readonly error: string | undefined;
}

function RoleSelect({ value, onChange, error }: RoleSelectProperties) {
  const { t } = useTranslation('access');
  return (
    <NativeSelect
      label={t('role.role')}
      data={ROLES.map((role) => ({ value: role, label: t(`roleHints.${role}`) }))}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
      error={error}
    />
  );
}
