import { Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { fieldText } from '../data/beliefs.js';

interface Change {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The names of references, for values that are ids. */
  readonly before_name?: string | null;
  readonly after_name?: string | null;
}

interface FieldChangesProperties {
  readonly changes: readonly Change[];
}

/** Fields with their values before and after. */
export function FieldChanges({ changes }: FieldChangesProperties) {
  const { t } = useTranslation();
  return (
    <Table.ScrollContainer minWidth={320} mt="xs">
      <Table verticalSpacing={4} withRowBorders={false} aria-label={t('changes.label')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('changes.field')}</Table.Th>
            <Table.Th>{t('changes.before')}</Table.Th>
            <Table.Th>{t('changes.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, before, after, before_name: beforeName, after_name: afterName }) => (
            <Table.Tr key={field}>
              <Table.Td>{fieldText(field.replace(/_id$/, ''))}</Table.Td>
              <Table.Td>{before === null ? <Nothing /> : <del title={before}>{beforeName ?? before}</del>}</Table.Td>
              <Table.Td>{after === null ? <Nothing /> : <ins title={after}>{afterName ?? after}</ins>}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Nothing() {
  const { t } = useTranslation();
  return (
    <Text span c="dimmed" size="sm">
      {t('nothing')}
    </Text>
  );
}
