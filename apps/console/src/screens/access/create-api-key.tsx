import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client, type Schemas, type Scope } from '../../data/client.js';
import { plusDays, startOfDay, today } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { Failure } from '../../ui/states.js';
import { issueOf } from '../../data/issue-of.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { CheckGrid } from '../../ui/check-grid.js';

type ApiKeyForm = Schemas['CreateApiKeyRequest'];

/** A form for a new key, initially of the environment `first`; afterwards it shows the key once. */
export function CreateApiKey({
  first,
  onClose,
}: {
  readonly first: ApiKeyForm['environment'] & string;
  readonly onClose: () => void;
}) {
  const { scopes: own } = useSession();
  const metadata = useQuery({
    queryKey: ['metadata'],
    queryFn: () => answerOf(client.GET('/metadata', {})),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const extensions: readonly string[] = metadata.data?.data.extension_scopes.map(({ scope }) => scope) ?? [];
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState(first);
  const [lastDay, setLastDay] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const write = useWrite((body: ApiKeyForm, header) =>
    answerOf(client.POST('/api-keys', { params: { header }, body })),
  );
  const secret = write.data?.data.api_key ?? null;
  const send = (): void =>
    write.mutate({
      name,
      environment,
      scopes: [...scopes],
      ...(lastDay === '' ? {} : { expires_at: startOfDay(plusDays(lastDay, 1)) }),
    });
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={write.isSuccess ? 'The key is made' : 'Create an API key'}
      closeOnClickOutside={false}
    >
      {write.isSuccess ? (
        <Stack>
          {secret === null ? (
            <Text size="sm">
              The key was made by an earlier attempt, and is not shown again. Revoke it and create another one.
            </Text>
          ) : (
            <CopiedOnce
              what="The key"
              text={secret}
              hint="Store it where the program reads its secrets. The service keeps only a hash of it."
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              description="The program that will use it"
              required
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={issueOf(write.error, 'name')}
              data-autofocus
            />
            <Radio.Group
              label="Environment"
              value={environment}
              onChange={(value) => setEnvironment(value === 'sandbox' ? 'sandbox' : 'live')}
              error={issueOf(write.error, 'environment')}
            >
              <Stack gap="xs" mt={4}>
                <Radio value="live" label="Live" description="Reads and changes the records of the organisation." />
                <Radio
                  value="sandbox"
                  label="Test"
                  description="Works at the address of the sandbox, with synthetic people. The operator makes the sandbox."
                />
              </Stack>
            </Radio.Group>
            <TextInput
              type="date"
              label="Last day"
              description="Without it the key does not expire"
              min={today()}
              value={lastDay}
              onChange={(event) => setLastDay(event.currentTarget.value)}
              error={issueOf(write.error, 'expires_at')}
            />
            <CheckGrid
              label="Scopes"
              description="You can give only the scopes of your role. Give as few as the program needs."
              options={own.filter((scope) => !extensions.includes(scope))}
              value={scopes}
              error={issueOf(write.error, 'scopes')}
              onChange={setScopes}
            />
            {own.some((scope) => extensions.includes(scope)) && (
              <CheckGrid
                label="Extension scopes"
                description="For routes beyond the contract of the API: access, audit, imports and the log of requests."
                isOptional
                options={own.filter((scope) => extensions.includes(scope))}
                value={scopes}
                error={undefined}
                onChange={setScopes}
              />
            )}
            {write.isError && <Failure error={write.error} />}
            <FormButtons
              action="Create"
              isPending={write.isPending}
              isDisabled={name.trim() === '' || scopes.length === 0}
              onClose={onClose}
            />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
