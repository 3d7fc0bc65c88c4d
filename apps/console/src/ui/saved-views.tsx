import { Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AddressState } from '../data/address.js';
import { useSession } from '../data/session.js';
import { Dialog } from './dialog.js';
import { FormButtons } from './form-buttons.js';

const NO_VIEWS: readonly View[] = [];

/** A state of a screen, such as a search with its filters, by the name that its user gave it. */
interface View {
  readonly name: string;
  readonly state: AddressState;
}

interface SavedViewsProperties {
  /** The name of the list in the browser: one a screen. */
  readonly of: string;
  readonly state: AddressState;
  /** The names of the state; opening a view removes those from the address that it does not have. */
  readonly names: readonly string[];
  readonly onOpen: (state: AddressState) => void;
}

/** The views that a user has saved in this browser. */
export function SavedViews({ of: list, state, names, onOpen }: SavedViewsProperties) {
  const { t } = useTranslation();
  const { user, organisation } = useSession();
  const [views, setViews] = useLocalStorage({
    key: `workforce-hr.${list}.${organisation.id}.${user.id}`,
    defaultValue: NO_VIEWS,
    getInitialValueInEffect: false,
  });
  const [isSaving, setSaving] = useState(false);
  const without = (name: string): readonly View[] => views.filter((view) => view.name !== name);
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
            {t('savedViews.views')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length > 0 && <Menu.Label>{t('savedViews.savedViews')}</Menu.Label>}
          {views.map((view) => (
            <Group key={view.name} gap={0} wrap="nowrap">
              <Menu.Item
                onClick={() => onOpen({ ...Object.fromEntries(names.map((name) => [name, undefined])), ...view.state })}
              >
                {view.name}
              </Menu.Item>
              <Menu.Item
                w="auto"
                aria-label={t('savedViews.deleteView', { name: view.name })}
                closeMenuOnClick={false}
                onClick={() => setViews(without(view.name))}
              >
                <IconTrash size={16} aria-hidden />
              </Menu.Item>
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setSaving(true)}>{t('savedViews.saveView')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSaving && (
        <SaveView
          onSave={(name) => {
            setViews([...without(name), { name, state }].sort((one, other) => one.name.localeCompare(other.name)));
            setSaving(false);
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  );
}

interface SaveViewProperties {
  readonly onSave: (name: string) => void;
  readonly onClose: () => void;
}

function SaveView({ onSave, onClose }: SaveViewProperties) {
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
          <FormButtons
            action={t('savedViews.save')}
            isPending={false}
            isDisabled={name.trim() === ''}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
