import { Button, Group, Menu } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AddressState, parseSearch, stringifySearch } from '../data/address.js';
import { currentLocale } from '../data/locale.js';
import { changePreferences, type SavedView, useSession } from '../data/session.js';

const SaveView = lazy(async () => ({ default: (await import('./save-view.js')).SaveView }));

interface SavedViewsProperties {
  /** The name of the list: one a screen. */
  readonly of: string;
  readonly state: AddressState;
  /** The names of the state; opening a view removes those from the address that it does not have. */
  readonly names: readonly string[];
  readonly onOpen: (state: AddressState) => void;
}

/** The views that a user has saved. */
export function SavedViews({ of: list, state, names, onOpen }: SavedViewsProperties) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const views = useSession().preferences.views.filter((view) => view.list === list);
  const [isSaving, setSaving] = useState(false);
  const write = useMutation({
    mutationFn: ({ name, saved }: { readonly name: string; readonly saved: readonly SavedView[] }) =>
      changePreferences(queryClient, (former) => ({
        views: [...former.views.filter((view) => view.list !== list || view.name !== name), ...saved].sort(
          (one, other) => one.name.localeCompare(other.name, currentLocale()),
        ),
      })),
    onSuccess: () => setSaving(false),
  });
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
                onClick={() =>
                  onOpen({ ...Object.fromEntries(names.map((name) => [name, undefined])), ...parseSearch(view.state) })
                }
              >
                {view.name}
              </Menu.Item>
              <Menu.Item
                w="auto"
                aria-label={t('savedViews.deleteView', { name: view.name })}
                closeMenuOnClick={false}
                onClick={() => write.mutate({ name: view.name, saved: [] })}
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
        <Suspense>
          <SaveView
            isPending={write.isPending}
            error={write.error}
            onSave={(name) => write.mutate({ name, saved: [{ list, name, state: stringifySearch(state) }] })}
            onClose={() => setSaving(false)}
          />
        </Suspense>
      )}
    </>
  );
}
