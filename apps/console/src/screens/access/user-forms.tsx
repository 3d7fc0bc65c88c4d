import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { type ReactNode, useState } from 'react';
import { client, type Schemas } from '../../data/client.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { Failure } from '../../ui/states.js';
import { issueOf } from '../../data/issue-of.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { PersonSelect } from '../../ui/person-select.js';

type User = Schemas['UserResponse'];
type Role = User['role'];

const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'employee', label: 'employee: themselves, once linked with a person' },
  { value: 'manager', label: 'manager: themselves and who reports to them' },
  { value: 'viewer', label: 'viewer: colleagues and who is out' },
  { value: 'hr', label: 'hr: everything about people and time off' },
  { value: 'auditor', label: 'auditor: reads everything, changes nothing' },
  { value: 'integrator', label: 'integrator: webhooks and connections' },
  { value: 'administrator', label: 'administrator: everything, and access' },
];

const HINT = 'It signs in once, within 15 minutes: send it through a channel that you trust. A later link replaces it.';

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
  return (
    <Stack>
      {link === null ? (
        <Text size="sm">The link was made by an earlier attempt, and is not shown again. Make a new one.</Text>
      ) : (
        <CopiedOnce what="The link" text={link} hint={HINT} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** Invites a user; afterwards shows the link once. */
export function InviteUser({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const write = useWrite((body: Schemas['InviteUserRequest'], header) =>
    answerOf(client.POST('/users', { params: { header }, body })),
  );
  return (
    <Form title="Invite a user" onClose={onClose}>
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
              label="E-mail address"
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
            <FormButtons action="Invite" isPending={write.isPending} isDisabled={email === ''} onClose={onClose} />
          </Stack>
        </form>
      )}
    </Form>
  );
}

/** Changes the role of a user. */
export function ChangeRole({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [role, setRole] = useState<Role>(user.role);
  const write = useWrite(
    (body: { readonly role: Role }, header) =>
      answerOf(client.PATCH('/users/{userId}', { params: { path: { userId: user.id }, header }, body })),
    { onSuccess: onClose },
  );
  return (
    <Form title={`The role of ${user.email}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ role });
        }}
      >
        <Stack>
          <RoleSelect value={role} onChange={setRole} error={undefined} />
          <Text size="sm" c="dimmed">
            It takes effect within a second, in open sessions too.
            {user.signs_in_by === 'openid_connect' && ' At the next sign-in the OpenID provider decides again.'}
          </Text>
          {write.isError && <Failure error={write.error} />}
          <FormButtons action="Save" isPending={write.isPending} isDisabled={role === user.role} onClose={onClose} />
        </Stack>
      </form>
    </Form>
  );
}

/** Creates a new link for a user, and shows it once. */
export function SignInLink({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const write = useWrite((userId: string, header) =>
    answerOf(client.POST('/users/{userId}/sign-in-link', { params: { path: { userId }, header } })),
  );
  return (
    <Form title={`A link for ${user.email}`} onClose={onClose}>
      {write.isSuccess ? (
        <Link link={write.data.data.sign_in_link} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">
            An earlier link stops working. The history of the user names you as the maker of the link.
          </Text>
          {write.isError && <Failure error={write.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button loading={write.isPending} onClick={() => write.mutate(user.id)} data-autofocus>
              Make the link
            </Button>
          </Group>
        </Stack>
      )}
    </Form>
  );
}

/** Says which person a user is. */
export function LinkPerson({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [personId, setPersonId] = useState<string | null>(null);
  const write = useWrite(
    (body: Schemas['LinkUserRequest'], header) =>
      answerOf(client.POST('/users/{userId}/link', { params: { path: { userId: user.id }, header }, body })),
    { onSuccess: onClose },
  );
  return (
    <Form title={`The person who is ${user.email}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ person_id: personId! });
        }}
      >
        <Stack>
          <PersonSelect
            label="Person"
            value={personId}
            valueName={null}
            onChange={setPersonId}
            error={issueOf(write.error, 'person_id')}
            data-autofocus
          />
          <Text size="sm" c="dimmed">
            As an employee they see themselves, as a manager also those who report to them. One person is one user.
          </Text>
          {write.isError && <Failure error={write.error} />}
          <FormButtons action="Link" isPending={write.isPending} isDisabled={personId === null} onClose={onClose} />
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
  return (
    <NativeSelect
      label="Role"
      data={ROLES.map((one) => ({ ...one }))}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
      error={error}
    />
  );
}
