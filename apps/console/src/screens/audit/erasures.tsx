import { Code, Stack, Table, Text } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { client } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';

/** Erased people with the time, the actor and the reason, newest first. */
export function Erasures() {
  const erasures = usePages(['activity', 'erasures'], (after) =>
    answerOf(client.GET('/activity', { params: { query: { type: 'PersonErased', ...after } } })),
  );
  const { items } = erasures;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        The operator erases a person with <Code>workforce people erase</Code>: the key that opens their personal data is
        destroyed. The dates of employment stay on record.
      </Text>
      <Reading of="erasures" query={erasures} />
      {erasures.isSuccess && items.length === 0 && <Empty title="No erasures" />}
      {items.length > 0 && (
        <WideTable label="Erasures" minWidth={600} heads={['Erased', 'Person', 'By', 'Reason']}>
          {items.map(({ id, recorded_at: at, resource, actor, reason }) => (
            <Table.Tr key={id}>
              <Table.Td>{dateTimeFormat(at)}</Table.Td>
              <Table.Td>
                <Code>{resource.id}</Code>
              </Table.Td>
              <Table.Td>{actor.name ?? actor.id}</Table.Td>
              <Table.Td>{reason}</Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      )}
      <ShowMore of={erasures} />
    </Stack>
  );
}
