import { Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changesOf } from '../../data/changes-of.js';
import { client, type Schemas } from '../../data/client.js';
import { plusDays, startOfDay, today } from '../../data/days.js';
import { useDraft } from '../../data/use-draft.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { RestoredDraft } from '../../ui/restored-draft.js';
import { Failure } from '../../ui/states.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { EndpointFields, type EndpointInput, isComplete } from './endpoint-fields.js';
import type { EventType } from './use-event-types.js';

interface FormProperties {
  readonly webhook: Schemas['WebhookResponse'];
  readonly onClose: () => void;
}

/** The retention of events in days. */
const RETENTION_DAYS = 30;

/** What the user has changed. */
interface EndpointDraft {
  readonly typed: Partial<EndpointInput>;
}

/** Changes name, address and subscriptions. */
export function EditWebhook({ webhook, onClose }: FormProperties) {
  const { t } = useTranslation('webhooks');
  const { id: webhookId, name, url, subscribed_events: events } = webhook;
  const was: EndpointInput = { name, url, subscribed_events: events as readonly EventType[] };
  const draft = useDraft<EndpointDraft>(`webhook.${webhookId}`, { typed: {} });
  const { typed } = draft.content;
  const value = { ...was, ...typed };
  const write = useWrite(
    ({ subscribed_events: chosen, ...named }: Partial<EndpointInput>, header) =>
      answerOf(
        client.PATCH('/webhooks/{webhookId}', {
          params: { path: { webhookId }, header },
          body: { ...named, ...(chosen === undefined ? {} : { subscribed_events: [...chosen] }) },
        }),
      ),
    {
      onSuccess: () => {
        draft.discard();
        onClose();
      },
    },
  );
  return (
    <Dialog onClose={onClose} size="lg" title={t('editEndpoint', { name })} closeOnClickOutside={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate(typed);
        }}
      >
        <Stack>
          {draft.isRestored && <RestoredDraft onDiscard={draft.discard} />}
          <EndpointFields
            value={value}
            error={write.error}
            onChange={(next) => draft.change({ typed: changesOf(next, was) })}
          />
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('save')}
            isPending={write.isPending}
            isDisabled={!isComplete(value) || Object.keys(typed).length === 0}
            onClose={() => {
              draft.discard();
              onClose();
            }}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** Replaces the signing secret, and shows the new one once. */
export function RotateSecret({ webhook, onClose }: FormProperties) {
  const { t } = useTranslation('webhooks');
  const write = useWrite((webhookId: string, header) =>
    answerOf(client.POST('/webhooks/{webhookId}/rotate-secret', { params: { path: { webhookId }, header } })),
  );
  if (!write.isSuccess) {
    return (
      <Confirmation
        title={t('replaceSecretOf', { name: webhook.name })}
        action={t('replace')}
        write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(webhook.id) }}
        onClose={onClose}
      >
        {t('replaceHint')}
      </Confirmation>
    );
  }
  return (
    <Dialog onClose={onClose} title={t('secretReplaced')} size="lg" closeOnClickOutside={false}>
      <CopiedOnce
        what={t('signingSecretOnce')}
        text={write.data.data.signing_secret ?? t('secretOfEarlierAttempt')}
        hint={t('formerSigns')}
      />
    </Dialog>
  );
}

/** Sends failed, waiting and missed events since a day again. */
export function ResendMissed({ webhook, onClose }: FormProperties) {
  const { t } = useTranslation('webhooks');
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
    <Dialog onClose={onClose} title={t('resendTo', { name: webhook.name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate(startOfDay(day));
        }}
      >
        <Stack>
          <TextInput
            type="date"
            label={t('since')}
            description={t('sinceHint')}
            min={plusDays(today(), -RETENTION_DAYS)}
            max={today()}
            required
            value={day}
            onChange={(event) => setDay(event.currentTarget.value)}
          />
          {sent !== undefined && (
            <Text size="sm" role="status">
              {t('resent', { failed: sent.failed, scheduled: sent.scheduled, missed: sent.missed })}
              {sent.left > 0 && ` ${t('resentLeft', { count: sent.left })}`}
            </Text>
          )}
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('resend')}
            isPending={write.isPending}
            isDisabled={day === ''}
            onClose={onClose}
            closing={sent === undefined ? t('cancel') : t('done')}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** Deletes an endpoint, after a confirmation. */
export function DeleteWebhook({ webhook, onClose }: FormProperties) {
  const { t } = useTranslation('webhooks');
  const navigate = useNavigate();
  const write = useWrite(
    async (webhookId: string, header) => {
      await client.DELETE('/webhooks/{webhookId}', { params: { path: { webhookId }, header } });
    },
    { onSuccess: () => void navigate({ to: '/webhooks' as never }) },
  );
  return (
    <Confirmation
      title={t('deleteEndpoint', { name: webhook.name })}
      action={t('delete')}
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(webhook.id) }}
      onClose={onClose}
    >
      {t('deleteHint')}
    </Confirmation>
  );
}
