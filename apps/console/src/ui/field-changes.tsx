import { Table, Text } from '@mantine/core';

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
  return (
    <Table.ScrollContainer minWidth={320} mt="xs">
      <Table verticalSpacing={4} withRowBorders={false} aria-label="Changes">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, before, after, before_name: beforeName, after_name: afterName }) => (
            <Table.Tr key={field}>
              <Table.Td>{field.replace(/_id$/, '').replaceAll('_', ' ')}</Table.Td>
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
  return (
    <Text span c="dimmed" size="sm">
      nothing
    </Text>
  );
}
