import { Table } from '@mantine/core';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { plusDays, shortDayText } from '../data/days.js';
import type { Schemas } from '../data/client.js';
import { type Field, fieldText, valueText } from '../data/beliefs.js';
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
  const { t } = useTranslation();
  return (
    <Table.ScrollContainer minWidth={360}>
      <Table mt="xs" verticalSpacing={4} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('changes.days')}</Table.Th>
            <Table.Th>{t('changes.what')}</Table.Th>
            <Table.Th>{t('changes.before')}</Table.Th>
            <Table.Th>{t('changes.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((row) => (
            <Table.Tr key={`${row.field} ${row.effective_from}`}>
              <Table.Td>{spanText(row.effective_from, row.effective_to)}</Table.Td>
              <Table.Td>{fieldText(row.field)}</Table.Td>
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
  const last = to === null ? '' : shortDayText(plusDays(to, -1));
  if (from === null) return to === null ? i18next.t('span.beginning') : i18next.t('span.beginningTo', { to: last });
  const days = { from: shortDayText(from), to: last };
  return to === null ? i18next.t('span.from', days) : i18next.t('span.fromTo', days);
}
