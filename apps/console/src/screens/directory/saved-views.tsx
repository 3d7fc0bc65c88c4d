import { Button, Group, Menu, Stack, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../data/session.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import type { DirectoryState } from './query.js';

const NO_VIEWS: readonly View[] = [];

/** A search with its filters, by the name that its user gave it. */
interface View {
  readonly name: string;
  readonly state: DirectoryState;
}

interface SavedViewsProperties {
  readonly state: DirectoryState;
  /** Opens a view; names without a value are removed from the address. */
  readonly onOpen: (state: { readonly [Name in keyof DirectoryState]?: DirectoryState[Name] | undefined }) => void;
}

const NO_STATE = {
  q: undefined,
  status: undefined,
  department: undefined,
  units: undefined,
  place: undefined,
  manager: undefined,
  sort: undefined,
  as_of: undefined,
  known_at: undefined,
};

/** The views that a user has saved in this browser. */
export function SavedViews({ state, onOpen }: SavedViewsProperties) {
  const { t } = useTranslation('directory');
  const { user, organisation } = useSession();
  const [views, setViews] = useLocalStorage({
    key: `workforce-hr.views.${organisation.id}.${user.id}`,
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
            {t('views')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length > 0 && <Menu.Label>{t('savedViews')}</Menu.Label>}
          {views.map((view) => (
            <Group key={view.name} gap={0} wrap="nowrap">
              <Menu.Item onClick={() => onOpen({ ...NO_STATE, ...view.state })}>{view.name}</Menu.Item>
              <Menu.Item
                w="auto"
                aria-label={t('deleteView', { name: view.name })}
                closeMenuOnClick={false}
                onClick={() => setViews(without(view.name))}
              >
                <IconTrash size={16} aria-hidden />
              </Menu.Item>
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setSaving(true)}>{t('saveView')}</Menu.Item>
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
  const { t } = useTranslation('directory');
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSave(name.trim());
  };
  return (
    <Dialog title={t('saveViewTitle')} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('viewName')}
            description={t('viewNameHint')}
            data-autofocus
            maxLength={60}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <FormButtons action={t('save')} isPending={false} isDisabled={name.trim() === ''} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
