import { Table } from '@mantine/core';
import { plusDays, shortDayText } from '../data/days.js';
import type { Schemas } from '../data/client.js';
import { type Field, FIELDS, valueText } from '../data/beliefs.js';
import classes from './belief-changes.module.css';

interface BeliefChangesProperties {
  readonly changes: readonly Pick<
    Schemas['TimelineChangeResponse'],
    'effective_from' | 'effective_to' | 'field' | 'before' | 'after'
  >[];
  readonly label: string;
}

/** The beliefs before and after, field by field, with their days. */
export function BeliefChanges({ changes, label }: BeliefChangesProperties) {
  return (
    <Table.ScrollContainer minWidth={360}>
      <Table mt="xs" verticalSpacing={4} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Days</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((row) => (
            <Table.Tr key={`${row.field} ${row.effective_from}`}>
              <Table.Td>{spanText(row.effective_from, row.effective_to)}</Table.Td>
              <Table.Td>{row.field === 'employed' ? 'Employment' : FIELDS[row.field as Field]}</Table.Td>
              <Table.Td>
                <del className={classes.before}>{valueText(row.field as Field, row.before)}</del>
              </Table.Td>
              <Table.Td>
                <ins className={classes.after}>{valueText(row.field as Field, row.after)}</ins>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** An interval of days in words, both included. */
export function spanText(from: string | null, to: string | null): string {
  const start = from === null ? 'from the beginning' : `from ${shortDayText(from)}`;
  return to === null ? start : `${start} to ${shortDayText(plusDays(to, -1))}`;
}
