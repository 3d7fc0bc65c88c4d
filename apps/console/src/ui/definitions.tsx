import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A list of names with values. */
export function Definitions({
  rows,
  label,
}: {
  readonly label: string;
  readonly rows: readonly (readonly [string, ReactNode])[];
}) {
  return (
    <Table verticalSpacing={4} layout="fixed" aria-label={label}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400} c="dimmed" w="40%">
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
