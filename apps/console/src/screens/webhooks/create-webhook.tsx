import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client, type Schemas, type Scope } from '../../data/client.js';
import { useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { Failure } from '../../ui/states.js';
import { issueOf } from '../../data/issue-of.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { CheckGrid } from '../../ui/check-grid.js';

type WebhookForm = Schemas['CreateWebhookRequest'];
type EventType = WebhookForm['subscribed_events'][number];

/** The types of events that the user may subscribe to. */
function useEventTypes(): readonly EventType[] {
  const { scopes } = useSession();
  const { data } = useQuery({
    queryKey: ['metadata'],
    queryFn: () => answerOf(client.GET('/metadata', {})),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const events = data?.data.webhook_events ?? [];
  return events
    .filter(({ required_scopes: needed }) => needed.every((scope) => scopes.includes(scope as Scope)))
    .map(({ event_type }) => event_type);
}

/** A form for a new endpoint; afterwards it shows the signing secret once. */
export function CreateWebhook({ onClose }: { readonly onClose: () => void }) {
  const types = useEventTypes();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [subscribed, setSubscribed] = useState<readonly EventType[]>([]);
  const write = useWrite((body: WebhookForm, header) =>
    answerOf(client.POST('/webhooks', { params: { header }, body })),
  );
  const isReady = name.trim() !== '' && url !== '' && subscribed.length > 0;
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={write.isSuccess ? 'The endpoint is added' : 'Add an endpoint'}
      closeOnClickOutside={false}
    >
      {write.isSuccess ? (
        <Stack>
          <CopiedOnce
            what="The signing secret"
            text={write.data.data.signing_secret ?? 'made by an earlier attempt: rotate it'}
            hint="The receiver verifies each delivery with it. It can be replaced later, not read."
          />
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
            write.mutate({ name, url, subscribed_events: [...subscribed] });
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={issueOf(write.error, 'name')}
              data-autofocus
            />
            <TextInput
              label="Address"
              description="A public https address"
              type="url"
              required
              placeholder="https://…"
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              error={issueOf(write.error, 'url')}
            />
            <CheckGrid
              label="Subscriptions"
              description="Types of events that your role may read"
              options={types}
              value={subscribed}
              error={issueOf(write.error, 'subscribed_events')}
              onChange={setSubscribed}
            />
            {write.isError && <Failure error={write.error} />}
            <Group justify="space-between">
              <Button variant="subtle" onClick={() => setSubscribed(subscribed.length === types.length ? [] : types)}>
                {subscribed.length === types.length ? 'Select none' : 'Select all'}
              </Button>
              <FormButtons action="Add" isPending={write.isPending} isDisabled={!isReady} onClose={onClose} />
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
