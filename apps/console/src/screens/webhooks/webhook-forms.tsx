import { Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client, type Schemas } from '../../data/client.js';
import { plusDays, startOfDay, today } from '../../data/days.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { Failure } from '../../ui/states.js';
import { FormButtons } from '../../ui/form-buttons.js';

interface FormProperties {
  readonly webhook: Schemas['WebhookResponse'];
  readonly onClose: () => void;
}

/** The retention of events in days. */
const RETENTION_DAYS = 30;

/** Replaces the signing secret, and shows the new one once. */
export function RotateSecret({ webhook, onClose }: FormProperties) {
  const write = useWrite((webhookId: string, header) =>
    answerOf(client.POST('/webhooks/{webhookId}/rotate-secret', { params: { path: { webhookId }, header } })),
  );
  if (!write.isSuccess) {
    return (
      <Confirmation
        title={`Replace the secret of ${webhook.name}?`}
        action="Replace"
        write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(webhook.id) }}
        onClose={onClose}
      >
        Deliveries carry a signature of each of the two for 24 hours. Give the new one to the receiver within that time.
      </Confirmation>
    );
  }
  return (
    <Dialog onClose={onClose} title="The secret is replaced" size="lg" closeOnClickOutside={false}>
      <CopiedOnce
        what="The signing secret"
        text={write.data.data.signing_secret ?? 'made by an earlier attempt: replace it again'}
        hint="The former one signs for another 24 hours."
      />
    </Dialog>
  );
}

/** Sends failed, waiting and missed events since a day again. */
export function ResendMissed({ webhook, onClose }: FormProperties) {
  const [day, setDay] = useState(plusDays(today(), -1));
  const write = useWrite((since: string, header) =>
    answerOf(
      client.POST('/webhooks/{webhookId}/resend', {
        params: { path: { webhookId: webhook.id }, header },
        body: { since },
      }),
    ),
  );
  const sent = write.data?.data;
  return (
    <Dialog onClose={onClose} title={`Resend to ${webhook.name}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate(startOfDay(day));
        }}
      >
        <Stack>
          <TextInput
            type="date"
            label="Since"
            description="Events are kept for 30 days. Receivers recognise those that they have by their ids."
            min={plusDays(today(), -RETENTION_DAYS)}
            max={today()}
            required
            value={day}
            onChange={(event) => setDay(event.currentTarget.value)}
          />
          {sent !== undefined && (
            <Text size="sm" role="status">
              {sent.failed} that had failed, {sent.scheduled} that waited and {sent.missed} that it had missed are sent
              again.
              {sent.left > 0 && ` ${sent.left} have no room yet: resend them later.`}
            </Text>
          )}
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action="Resend"
            isPending={write.isPending}
            isDisabled={day === ''}
            onClose={onClose}
            closing={sent === undefined ? 'Cancel' : 'Done'}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** Deletes an endpoint, after a confirmation. */
export function DeleteWebhook({ webhook, onClose }: FormProperties) {
  const navigate = useNavigate();
  const write = useWrite(
    async (webhookId: string, header) => {
      await client.DELETE('/webhooks/{webhookId}', { params: { path: { webhookId }, header } });
    },
    { onSuccess: () => void navigate({ to: '/webhooks' as never }) },
  );
  return (
    <Confirmation
      title={`Delete ${webhook.name}?`}
      action="Delete"
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(webhook.id) }}
      onClose={onClose}
    >
      Nothing more is sent to it, and its deliveries can no longer be read. To stop it for a while, disable it.
    </Confirmation>
  );
}
