import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas, type Scope } from '../../data/client.js';
import { plusDays, startOfDay, today } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { CopiedOnce } from '../../ui/copied-once.js';
import { Dialog } from '../../ui/dialog.js';
import { DoneButton } from '../../ui/done-button.js';
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
  const { t } = useTranslation('access');
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
      title={t(write.isSuccess ? 'create.madeTitle' : 'create.title')}
      closeOnClickOutside={false}
    >
      {write.isSuccess ? (
        <Stack>
          {secret === null ? (
            <Text size="sm">{t('create.earlier')}</Text>
          ) : (
            <CopiedOnce what={t('create.theKey')} text={secret} hint={t('create.store')} />
          )}
          <DoneButton onClose={onClose} />
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
              label={t('name')}
              description={t('create.nameHint')}
              required
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={issueOf(write.error, 'name')}
              data-autofocus
            />
            <Radio.Group
              label={t('create.environment')}
              value={environment}
              onChange={(value) => setEnvironment(value === 'sandbox' ? 'sandbox' : 'live')}
              error={issueOf(write.error, 'environment')}
            >
              <Stack gap="xs" mt={4}>
                <Radio value="live" label={t('create.live')} description={t('create.liveHint')} />
                <Radio value="sandbox" label={t('create.test')} description={t('create.testHint')} />
              </Stack>
            </Radio.Group>
            <TextInput
              type="date"
              label={t('create.lastDay')}
              description={t('create.lastDayHint')}
              min={today()}
              value={lastDay}
              onChange={(event) => setLastDay(event.currentTarget.value)}
              error={issueOf(write.error, 'expires_at')}
            />
            <CheckGrid
              label={t('keys.scopes')}
              description={t('create.scopesHint')}
              options={own.filter((scope) => !extensions.includes(scope))}
              value={scopes}
              error={issueOf(write.error, 'scopes')}
              onChange={setScopes}
            />
            {own.some((scope) => extensions.includes(scope)) && (
              <CheckGrid
                label={t('create.extensionScopes')}
                description={t('create.extensionHint')}
                isOptional
                options={own.filter((scope) => extensions.includes(scope))}
                value={scopes}
                error={undefined}
                onChange={setScopes}
              />
            )}
            {write.isError && <Failure error={write.error} />}
            <FormButtons
              action={t('create.create')}
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
