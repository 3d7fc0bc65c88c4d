import { Button, Checkbox, Group, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { answerOf, WorkforceError } from '@workforce-hr/client';
import { useState } from 'react';
import { client, type Schemas, type Scope } from '../../data/client.js';
import { today } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { Failure } from '../../ui/states.js';

type Wanted = Schemas['CreateApiKeyRequest'];

/** A form for a new key; afterwards the key itself, this once. */
export function CreateApiKey({ onClose }: { readonly onClose: () => void }) {
  const { scopes: own } = useSession();
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<'live' | 'sandbox'>('live');
  const [lastDay, setLastDay] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const write = useWrite((body: Wanted, header) => answerOf(client.POST('/api-keys', { params: { header }, body })));
  const secret = write.data?.data.api_key ?? null;
  const issueOf = (field: string): string | undefined => (write.error instanceof WorkforceError ? write.error.issueOf(field) : undefined);
  const send = (): void =>
    write.mutate({
      name,
      environment,
      scopes: [...scopes],
      ...(lastDay === '' ? {} : { expires_at: new Date(`${lastDay}T23:59:59`).toISOString() }),
    });
  return (
    <Dialog onClose={onClose} size="lg" title={write.isSuccess ? 'The key is made' : 'Create an API key'} closeOnClickOutside={false}>
      {write.isSuccess ? (
        <Stack>
          {secret === null ? (
            <Text size="sm">The key was made by an earlier attempt, and is not shown again. Revoke it and create another one.</Text>
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
              description="What will use it"
              required
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={issueOf('name')}
              data-autofocus
            />
            <Radio.Group
              label="Environment"
              value={environment}
              onChange={(value) => setEnvironment(value === 'sandbox' ? 'sandbox' : 'live')}
              error={issueOf('environment')}
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
              error={issueOf('expires_at')}
            />
            <Checkbox.Group
              label="Scopes"
              description="Only those of your own role can be given. Give as few as the program needs."
              required
              value={[...scopes]}
              onChange={(values) => setScopes(values as Scope[])}
              error={issueOf('scopes')}
            >
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={8} mt="xs">
                {own.map((scope) => (
                  <Checkbox key={scope} value={scope} label={scope} size="sm" />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
            {write.isError && <Failure error={write.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={write.isPending} disabled={name.trim() === '' || scopes.length === 0}>
                Create
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
