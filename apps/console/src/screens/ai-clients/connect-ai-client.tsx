import { Code, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { issueOf } from '../../data/issue-of.js';
import { sendToConsole } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { DoneButton } from '../../ui/done-button.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { Failure } from '../../ui/states.js';

/** The route of the list, and of new AI clients. */
export const ROUTE = '/console/ai-client-sessions';

/** The settings of a new AI client. */
interface Connection {
  /** Shown once. */
  readonly token: string;
  /** The address of the server. */
  readonly url: string;
}

/** A form for a new AI client; afterwards it shows the token once. */
export function ConnectAiClient({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('ai-clients');
  const [name, setName] = useState('');
  const write = useWrite((body: object, headers) => sendToConsole<Connection>('POST', ROUTE, body, headers));
  return (
    <Dialog onClose={onClose} title={t(write.isSuccess ? 'connected' : 'connect')} closeOnClickOutside={false}>
      {write.isSuccess ? (
        <Settings connection={write.data} onClose={onClose} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            write.mutate({ name: name.trim() });
          }}
        >
          <Stack>
            <TextInput
              label={t('name')}
              description={t('nameHint')}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              error={issueOf(write.error, 'name')}
              maxLength={100}
              required
            />
            <Text size="sm">{t('sees')}</Text>
            {write.isError && <Failure error={write.error} />}
            <FormButtons
              action={t('connectIt')}
              isPending={write.isPending}
              isDisabled={name.trim() === ''}
              onClose={onClose}
            />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}

function Settings({ connection, onClose }: { readonly connection: Connection; readonly onClose: () => void }) {
  const { t } = useTranslation('ai-clients');
  return (
    <Stack>
      <div>
        <Text size="sm" fw={600}>
          {t('address')}
        </Text>
        <Code block tabIndex={0} aria-label={t('address')}>
          {connection.url}
        </Code>
      </div>
      <CopiedOnce what={t('token')} text={connection.token} hint={t('tokenHint')} />
      <DoneButton onClose={onClose} />
    </Stack>
  );
}
