import { Button, Group, Stack, Switch, Table } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { csvOf, saveFile } from '../../data/csv.js';
import { momentText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Reading } from '../../ui/states.js';
import { type AuditState, momentsOf, PersonAndDays } from './filters.js';

type Row = Schemas['ReportRowResponse'];

const PAGE_SIZE = 200;
const COLUMNS: readonly (keyof Row)[] = [
  'recorded_at',
  'actor_type',
  'actor_id',
  'actor_name',
  'subject',
  'subject_id',
  'event',
  'field',
  'value',
  'reason',
  'supersedes',
  'request_id',
  'event_id',
  'revision',
  'approver_type',
  'approver_id',
];

/** The rows of `workforce audit report`, oldest first. */
export function Report() {
  const [state, change] = useAddress<AuditState>();
  const mayOpen = useMay(
    'people:read',
    'people:personal:read',
    'custom_fields:read',
    'payroll_exports:read',
    'time_off:decisions:read',
    'documents:read',
  );
  const query = {
    ...momentsOf(state),
    ...(state.person === undefined ? {} : { person_id: state.person }),
    ...(mayOpen && state.values === 'true' ? { with_values: true } : {}),
  };
  const report = usePages(['audit-report', query], (after) =>
    answerOf(client.GET('/audit/report', { params: { query: { ...query, limit: PAGE_SIZE, ...after } } })),
  );
  const { items: rows } = report;
  const isWhole = report.isSuccess && !report.hasNextPage;
  return (
    <Stack>
      <Group align="flex-end" gap="sm">
        <PersonAndDays />
        {mayOpen && (
          <Switch
            label="With personal values"
            checked={state.values === 'true'}
            onChange={({ target }) => change({ values: target.checked ? 'true' : undefined })}
            pb={8}
          />
        )}
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={rows.length === 0}
          loading={report.isFetchingNextPage}
          // A file with a part of the rows would be taken for all of them.
          onClick={() => (isWhole ? saveFile(`audit-report-${today()}.csv`, tableOf(rows)) : void report.fetchNextPage())}
        >
          {isWhole || rows.length === 0 ? 'Download CSV' : 'Read the rest to download'}
        </Button>
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          disabled={rows.length === 0}
          onClick={() => window.print()}
        >
          Print
        </Button>
      </Group>
      <Reading of="the report" query={report} />
      {report.isSuccess && rows.length === 0 && <Empty title="Nothing was recorded">Other days, or everybody, have more.</Empty>}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={900} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table verticalSpacing={4} aria-label="Report">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Recorded</Table.Th>
                <Table.Th>By</Table.Th>
                <Table.Th>About</Table.Th>
                <Table.Th>Event</Table.Th>
                <Table.Th>Field</Table.Th>
                <Table.Th>Value</Table.Th>
                <Table.Th>Reason</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={`${row.event_id} ${row.field}`}>
                  <Table.Td>{momentText(row.recorded_at)}</Table.Td>
                  <Table.Td>{row.actor_name === '' ? row.actor_id : row.actor_name}</Table.Td>
                  <Table.Td>{`${row.subject} ${row.subject_id}`}</Table.Td>
                  <Table.Td>{row.event}</Table.Td>
                  <Table.Td>{row.field}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{row.value}</Table.Td>
                  <Table.Td>{row.reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <ShowMore of={report} />
    </Stack>
  );
}

function tableOf(rows: readonly Row[]): string {
  return csvOf(
    COLUMNS,
    rows.map((row) => COLUMNS.map((column) => row[column])),
  );
}
