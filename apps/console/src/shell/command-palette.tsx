import { Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf } from '@workforce-hr/client';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../data/client.js';
import { seesByRelation, useSession } from '../data/session.js';
import { mayOpen } from '../screen.js';
import { SCREENS } from '../screens.js';
import { partsFor } from '../screens/settings/parts.js';
import { settings } from '../screens/settings/screen.js';
import { Dialog } from '../ui/dialog.js';
import { PersonPicture } from '../ui/person-picture.js';

const PAUSE_AFTER_TYPING = 120;
const MAX_PEOPLE = 8;

/** Something that the palette does. */
export interface PaletteAction {
  readonly label: string;
  readonly run: () => void;
}

interface CommandPaletteProperties {
  /** What the shell can do, besides opening screens and people. */
  readonly actions: readonly PaletteAction[];
  readonly onClose: () => void;
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLocaleLowerCase()
    .split(/[\s-]+/)
    .filter((word) => word !== '');

/** Finds people, screens and actions by the beginnings of their words, by keyboard alone. */
export function CommandPalette({ actions, onClose }: CommandPaletteProperties) {
  const { t } = useTranslation(['shell', 'settings']);
  const session = useSession();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), PAUSE_AFTER_TYPING);
  const combobox = useCombobox({ opened: true });
  const people = useQuery({
    queryKey: ['people', 'palette', q],
    queryFn: () => answerOf(client.GET('/people', { params: { query: { q, limit: MAX_PEOPLE } } })),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const found = q === '' ? [] : (people.data?.data ?? []);
  const to = (path: string) => (): void => void navigate({ to: path as never });
  // The roles that see people by relation have no page of a person, but the balances of those in sight.
  const pageOf = (id: string): string => `/people/${id}${seesByRelation(session) ? '/balance' : ''}`;
  const screens = SCREENS.filter((screen) => mayOpen(session, screen)).flatMap(
    ({ path, navigation, label = navigation?.label }) =>
      label === undefined ? [] : [{ label: t(`labels.${label}`), run: to(path) }],
  );
  const parts = mayOpen(session, settings)
    ? partsFor(session).map(({ name }) => ({ label: t(`settings:parts.${name}`), run: to(`/settings/${name}`) }))
    : [];
  const beginnings = wordsOf(typed);
  const isMatch = ({ label }: PaletteAction): boolean =>
    beginnings.every((beginning) => wordsOf(label).some((word) => word.startsWith(beginning)));
  const groups = [
    {
      name: t('palette.people'),
      entries: found.map((one) => ({ label: one.display_name, run: to(pageOf(one.id)), person: one })),
    },
    { name: t('palette.screens'), entries: screens.filter(isMatch) },
    { name: t('palette.actions'), entries: actions.filter(isMatch) },
    { name: t('labels.settings'), entries: parts.filter(isMatch) },
  ].filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  useEffect(() => {
    combobox.selectFirstOption();
    // The first entry is chosen whenever the entries change.
  }, [entries.length, typed]);
  return (
    <Dialog title={t('palette.title')} onClose={onClose} size="lg">
      <Combobox
        store={combobox}
        withinPortal={false}
        onOptionSubmit={(index) => {
          onClose();
          entries[Number(index)]!.run();
        }}
      >
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            aria-label={t('palette.search')}
            placeholder={t('palette.placeholder')}
            leftSection={<IconSearch size={16} aria-hidden />}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            // The list takes the key for itself, though it never closes.
            onKeyDown={({ key }) => key === 'Escape' && onClose()}
          />
        </Combobox.EventsTarget>
        <Combobox.Options mt="sm" mah={360} style={{ overflowY: 'auto' }} aria-label={t('palette.title')}>
          {groups.map((group) => (
            <Combobox.Group key={group.name} label={group.name}>
              {group.entries.map((entry) => (
                <Combobox.Option key={`${group.name} ${entry.label}`} value={String(entries.indexOf(entry))}>
                  {'person' in entry ? (
                    <Group gap="sm" wrap="nowrap">
                      <PersonPicture name={entry.label} size={22} />
                      <Text size="sm">{entry.label}</Text>
                      <Text size="xs" c="dimmed" truncate>
                        {(entry as { person: { job_title: string | null } }).person.job_title}
                      </Text>
                    </Group>
                  ) : (
                    entry.label
                  )}
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {entries.length === 0 && <Combobox.Empty>{t('palette.nothing')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Dialog>
  );
}
