import { Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.js';
import { FormButtons } from './form-buttons.js';
import { Failure } from './states.js';

interface SaveViewProperties {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name of a view. */
export function SaveView({ isPending, error, onSave, onClose }: SaveViewProperties) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSave(name.trim());
  };
  return (
    <Dialog title={t('savedViews.saveViewTitle')} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('savedViews.viewName')}
            description={t('savedViews.viewNameHint')}
            data-autofocus
            maxLength={60}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          {error !== null && <Failure error={error} />}
          <FormButtons
            action={t('savedViews.save')}
            isPending={isPending}
            isDisabled={name.trim() === ''}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
