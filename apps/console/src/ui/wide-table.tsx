import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface WideTableProperties {
  /** Its name for screen readers. */
  readonly label: string;
  readonly heads: readonly string[];
  /** In pixels; narrower screens scroll. */
  readonly minWidth: number;
  /** Rows. */
  readonly children: ReactNode;
}

/** A table that scrolls sideways on narrow screens. */
export function WideTable({ label, heads, minWidth, children }: WideTableProperties) {
  return (
    <Table.ScrollContainer minWidth={minWidth}>
      <Table verticalSpacing={6} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
