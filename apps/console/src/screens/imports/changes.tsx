import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { csvOf, saveFile } from '../../data/csv.js';
import { dayText } from '../../data/days.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { Reading } from '../../ui/states.js';
import type { Import } from './kinds.js';

type Change = Schemas['ImportChangeResponse'];

/** The heads of the CSV. */
const HEADS = ['line', 'subject', 'column', 'before', 'after', 'from'] as const;

/** The changes of existing records by an import: values before and after, and effective dates. */
export function Changes({ found }: { readonly found: Import }) {
  const { t } = useTranslation('imports');
  const list = usePages(
    ['imports', found.id, 'changes', found.state],
    (after) =>
      answerOf(
        client.GET('/imports/{importId}/changes', {
          params: { path: { importId: found.id }, query: { limit: 100, ...after } },
        }),
      ),
    { enabled: found.are_problems_kept },
  );
  const { items: changes } = list;
  if (!found.are_problems_kept) return null;
  const title = t(found.state === 'imported' ? 'changes.done' : 'changes.planned');
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between">
        <Text fw={600} component="h2" m={0}>
          {title}
        </Text>
        <Button
          variant="default"
          size="xs"
          onClick={() => saveFile(`${t('changes.fileName')}.csv`, tableOf(changes))}
          disabled={changes.length === 0}
        >
          {t('changes.download')}
        </Button>
      </Group>
      <Reading of={t('changes.changes')} query={list} />
      {changes.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table verticalSpacing={6} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={64} ta="right">
                  {t('changes.line')}
                </Table.Th>
                <Table.Th>{t('changes.subject')}</Table.Th>
                <Table.Th>{t('changes.column')}</Table.Th>
                <Table.Th>{t('changes.before')}</Table.Th>
                <Table.Th>{t('changes.after')}</Table.Th>
                <Table.Th>{t('changes.from')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map(({ line, subject, field, before, after, effective_date: day }) => (
                <Table.Tr key={`${line} ${field} ${day}`}>
                  <Table.Td ta="right">{line}</Table.Td>
                  <Table.Td>{subject}</Table.Td>
                  <Table.Td>{field}</Table.Td>
                  <Table.Td>{before ?? '—'}</Table.Td>
                  <Table.Td>{after ?? '—'}</Table.Td>
                  <Table.Td>{day === null ? '' : dayText(day)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ShowMore of={list} />
    </Stack>
  );
}

function tableOf(changes: readonly Change[]): string {
  return csvOf(
    HEADS.map((head) => i18next.t(`imports:csv.${head}`)),
    changes.map(({ line, subject, field, before, after, effective_date: day }) => [
      line,
      subject,
      field,
      before,
      after,
      day,
    ]),
  );
}
