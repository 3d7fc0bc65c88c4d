import { Tabs } from '@mantine/core';
import { useAddress } from '../../data/address.js';
import type { SettingsRow } from './facts.js';
import { ResourceList } from './resource-list.js';
import { useTexts } from './texts.js';

const DICTIONARIES = ['work-places', 'work-types', 'document-types'] as const;

interface Entry extends SettingsRow {
  readonly label: string;
}

/** The lists of labels that records of people refer to. */
export function Dictionaries() {
  const t = useTexts();
  const [{ of }, change] = useAddress<{ of?: string; all?: string }>();
  const shown = DICTIONARIES.find((one) => one === of) ?? DICTIONARIES[0];
  return (
    <Tabs value={shown} onChange={(value) => change({ of: value ?? undefined })} keepMounted={false}>
      <Tabs.List aria-label={t('parts.dictionaries')}>
        {DICTIONARIES.map((kind) => (
          <Tabs.Tab key={kind} value={kind}>
            {t(`kinds.${kind}.title`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {DICTIONARIES.map((kind) => (
        <Tabs.Panel key={kind} value={kind} pt="md">
          <ResourceList<Entry>
            kind={kind}
            form="dictionaries"
            nameOf={({ label }) => label}
            columns={[{ head: t('fields.dictionaries.label'), cell: ({ label }) => label }]}
            minWidth={300}
          />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
