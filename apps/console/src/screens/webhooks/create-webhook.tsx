import { Button, Group, Stack } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client } from '../../data/client.js';
import { useDraft } from '../../data/use-draft.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { DoneButton } from '../../ui/done-button.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { RestoredDraft } from '../../ui/restored-draft.js';
import { Failure } from '../../ui/states.js';
import { EndpointFields, type EndpointInput, isComplete } from './endpoint-fields.js';
import { useEventTypes } from './use-event-types.js';

/** A form for a new endpoint; afterwards it shows the signing secret once. */
export function CreateWebhook({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('webhooks');
  const types = useEventTypes();
  const draft = useDraft<EndpointInput>('webhook', { name: '', url: '', subscribed_events: [] });
  const value = draft.content;
  const write = useWrite(
    ({ subscribed_events: events, ...named }: EndpointInput, header) =>
      answerOf(client.POST('/webhooks', { params: { header }, body: { ...named, subscribed_events: [...events] } })),
    { onSuccess: draft.discard },
  );
  const hasAll = value.subscribed_events.length === types.length;
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={write.isSuccess ? t('endpointAdded') : t('addEndpoint')}
      closeOnClickOutside={false}
    >
      {write.isSuccess ? (
        <Stack>
          <CopiedOnce
            what={t('signingSecretOnce')}
            text={write.data.data.signing_secret ?? t('secretOfEarlierAttempt')}
            hint={t('secretHint')}
          />
          <DoneButton onClose={onClose} />
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            write.mutate(value);
          }}
        >
          <Stack>
            {draft.isRestored && <RestoredDraft onDiscard={draft.discard} />}
            <EndpointFields value={value} error={write.error} onChange={draft.change} />
            {write.isError && <Failure error={write.error} />}
            <Group justify="space-between">
              <Button variant="subtle" onClick={() => draft.change({ subscribed_events: hasAll ? [] : types })}>
                {hasAll ? t('selectNone') : t('selectAll')}
              </Button>
              <FormButtons
                action={t('add')}
                isPending={write.isPending}
                isDisabled={!isComplete(value)}
                onClose={() => {
                  draft.discard();
                  onClose();
                }}
              />
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
