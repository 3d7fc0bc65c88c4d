import { Code, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { fieldName, recordedText, type RecordedTexts } from '../data/recorded-words.js';
import { isId, useNames } from '../data/use-names.js';
import { Named } from './named.js';

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
  /** The screen whose words it uses. */
  readonly texts: RecordedTexts;
}

/** Fields with their values before and after. */
export function FieldChanges({ changes, texts }: FieldChangesProperties) {
  const { t } = useTranslation();
  const names = useNames(changes.flatMap(({ before, after }) => [before, after]));
  const text = (field: string, value: string, name: string | null | undefined) =>
    name ?? (isId(value) ? <Named id={value} names={names} /> : recordedText(field, value, texts));
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
              <Table.Td>
                <FieldName field={field} texts={texts} />
              </Table.Td>
              <Table.Td>{before === null ? <Nothing /> : <del>{text(field, before, beforeName)}</del>}</Table.Td>
              <Table.Td>{after === null ? <Nothing /> : <ins>{text(field, after, afterName)}</ins>}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface FieldNameProperties {
  readonly field: string;
  readonly texts: RecordedTexts;
}

/** The name of a recorded field in words; the id of a custom field as it is. */
export function FieldName({ field, texts }: FieldNameProperties) {
  return fieldName(field, texts) ?? <Code>{field}</Code>;
}

function Nothing() {
  const { t } = useTranslation();
  return (
    <Text span c="dimmed" size="sm">
      {t('nothing')}
    </Text>
  );
}
