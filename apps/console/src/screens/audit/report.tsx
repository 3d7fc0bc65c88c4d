import { Button, Group, Stack, Switch, Table } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { csvOf } from '../../data/csv.js';
import { dateTimeFormat, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { DownloadAll } from '../../ui/download-all.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import { type AuditState, instantsFrom, PersonAndDays } from './filters.js';

type Row = Schemas['ReportRowResponse'];

const PAGE_SIZE = 200;
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
    ...instantsFrom(state),
    ...(state.person === undefined ? {} : { person_id: state.person }),
    ...(mayOpen && state.values === 'true' ? { with_values: true } : {}),
  };
  const report = usePages(['audit-report', query], (after) =>
    answerOf(client.GET('/audit/report', { params: { query: { ...query, limit: PAGE_SIZE, ...after } } })),
  );
  const { items: rows } = report;
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
        <DownloadAll of={report} fileName={`audit-report-${today()}.csv`} tableOf={tableOf} />
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
      {report.isSuccess && rows.length === 0 && <Empty title="No events">Choose other days, or all people.</Empty>}
      {rows.length > 0 && (
        <WideTable
          label="Report"
          minWidth={900}
          heads={['Recorded', 'By', 'About', 'Event', 'Field', 'Value', 'Reason']}
        >
          {rows.map((row) => (
            <Table.Tr key={`${row.event_id} ${row.field}`}>
              <Table.Td>{dateTimeFormat(row.recorded_at)}</Table.Td>
              <Table.Td>{row.actor_name === '' ? row.actor_id : row.actor_name}</Table.Td>
              <Table.Td>{`${row.subject} ${row.subject_id}`}</Table.Td>
              <Table.Td>{row.event}</Table.Td>
              <Table.Td>{row.field}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{row.value}</Table.Td>
              <Table.Td>{row.reason}</Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      )}
      <ShowMore of={report} />
    </Stack>
  );
}

/** The columns of `workforce audit report`: the members of a row, in the order of the API. */
function tableOf(rows: readonly Row[]): string {
  return csvOf(
    Object.keys(rows[0]!),
    rows.map((row) => Object.values(row)),
  );
}
