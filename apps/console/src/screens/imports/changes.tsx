import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { client, type Schemas } from '../../data/client.js';
import { csvOf, saveFile } from '../../data/csv.js';
import { dayText } from '../../data/days.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { Reading } from '../../ui/states.js';
import type { Import } from './kinds.js';

type Change = Schemas['ImportChangeResponse'];

/** The changes of existing records by an import: values before and after, and effective dates. */
export function Changes({ found }: { readonly found: Import }) {
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
  const title = found.state === 'imported' ? 'What changed' : 'What would change';
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between">
        <Text fw={600} component="h2" m={0}>
          {title}
        </Text>
        <Button
          variant="default"
          size="xs"
          onClick={() => saveFile('changes.csv', tableOf(changes))}
          disabled={changes.length === 0}
        >
          Download changes as CSV
        </Button>
      </Group>
      <Reading of="changes" query={list} />
      {changes.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table verticalSpacing={6} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={64} ta="right">
                  Line
                </Table.Th>
                <Table.Th>Who or what</Table.Th>
                <Table.Th>Column</Table.Th>
                <Table.Th>Before</Table.Th>
                <Table.Th>After</Table.Th>
                <Table.Th>From</Table.Th>
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
    ['line', 'subject', 'column', 'before', 'after', 'from'],
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
