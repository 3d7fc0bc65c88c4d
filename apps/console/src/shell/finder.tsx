import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../data/session.js';
import { loadTexts } from '../languages/start-languages.js';

const CommandPalette = lazy(async () => {
  const [{ CommandPalette: content }] = await Promise.all([import('./command-palette.js'), loadTexts(['settings'])]);
  return { default: content };
});
const Keys = lazy(async () => ({ default: (await import('./keys.js')).Keys }));

/** Opens the search for people, screens and actions by Ctrl+K, and the list of keys by a question mark. */
export function Finder() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const mayWrite = useMay('people:write');
  const [opened, setOpened] = useState<'palette' | 'keys' | null>(null);
  const open = (what: 'palette' | 'keys') => (): void => setOpened(what);
  // The palette opens from a field too.
  useHotkeys([['mod+K', open('palette')]], []);
  useHotkeys([['shift+?', open('keys')]]);
  const actions = [
    ...(mayWrite ? [{ label: t('actions.hire'), run: () => void navigate({ to: '/people/new' as never }) }] : []),
    {
      label: isDark ? t('actions.light') : t('actions.dark'),
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    { label: t('actions.keys'), run: open('keys') },
  ];
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('openPalette')}
        title={t('openPalette')}
        aria-keyshortcuts="Control+K"
        onClick={open('palette')}
      >
        <IconSearch size={18} stroke={1.5} aria-hidden />
      </ActionIcon>
      <Suspense>
        {opened === 'palette' && <CommandPalette actions={actions} onClose={() => setOpened(null)} />}
        {opened === 'keys' && <Keys onClose={() => setOpened(null)} />}
      </Suspense>
    </>
  );
}
