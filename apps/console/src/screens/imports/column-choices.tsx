import { Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { KindColumns, Mapping } from './columns.js';

interface ColumnChoicesProperties {
  /** Headers without a column. */
  readonly headers: readonly string[];
  readonly known: KindColumns;
  readonly chosen: Mapping;
  readonly onChange: (chosen: Mapping) => void;
}

const LEAVE_OUT = '';

/** Lets the user map the columns of a file that the service does not recognise. */
export function ColumnChoices({ headers, known, chosen, onChange }: ColumnChoicesProperties) {
  const { t } = useTranslation('imports');
  const data = [
    { value: LEAVE_OUT, label: t('choices.leaveOut') },
    ...known.columns.map(({ name }) => ({ value: name, label: name })),
  ];
  return (
    <Stack gap="xs" component="section" aria-label={t('choices.label')}>
      <Text size="sm">{t('choices.text', { count: headers.length })}</Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        {headers.map((header) => (
          <Select
            key={header}
            label={header}
            placeholder={t('choices.leaveOutWarning')}
            data={data}
            searchable
            value={valueOf(chosen.find((entry) => entry.header === header))}
            onChange={(value) =>
              onChange([
                ...chosen.filter((entry) => entry.header !== header),
                ...(value === null ? [] : [{ header, column: columnOf(value) }]),
              ])
            }
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function columnOf(value: string): Mapping[number]['column'] {
  return value === LEAVE_OUT ? null : (value as Mapping[number]['column']);
}

function valueOf(entry: Mapping[number] | undefined): string | null {
  return entry === undefined ? null : (entry.column ?? LEAVE_OUT);
}
