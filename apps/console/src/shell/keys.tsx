import { Kbd, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../ui/dialog.js';

/** The keys of the console, each with the name of its text. */
const KEYS = [
  [['control', 'K'], 'palette'],
  [['?'], 'keys'],
  [['/'], 'search'],
  [['↑', '↓'], 'rows'],
  [['A', 'R', 'N'], 'decide'],
  [['escape'], 'close'],
] as const;

/** What the keys do. */
export function Keys({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('shell');
  const { t: common } = useTranslation('common');
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <Table aria-label={t('keys.title')}>
        <Table.Tbody>
          {KEYS.map(([keys, name]) => (
            <Table.Tr key={name}>
              <Table.Td w={120}>
                {keys.map((key) => (
                  <Kbd key={key} mr={4}>
                    {common(`keyNames.${key as 'control'}`, { defaultValue: key })}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{t(`keys.${name}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
