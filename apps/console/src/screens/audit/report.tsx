import { Button, Code, Group, Stack, Switch, Table, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import i18next from 'i18next';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { csvOf } from '../../data/csv.js';
import { dateTimeFormat, shortDayText, today } from '../../data/days.js';
import { eventName, recordedText } from '../../data/recorded-words.js';
import { useMay, useSession } from '../../data/session.js';
import { isId, useNames } from '../../data/use-names.js';
import { readRest, usePages } from '../../data/use-pages.js';
import { Named } from '../../ui/named.js';
import { DownloadAll } from '../../ui/download-all.js';
import { FieldName } from '../../ui/field-changes.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import classes from './audit.module.css';
import { type AuditState, instantsFrom, PersonAndDays } from './filters.js';
import { isResource } from './resources.js';

type Row = Schemas['ReportRowResponse'];

const PAGE_SIZE = 200;
/** The rows of `workforce audit report`, oldest first. */
export function Report() {
  const { t } = useTranslation('audit');
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
  const names = useNames(rows.flatMap((row) => [row.subject_id, row.value]));
  const [isPreparing, setPreparing] = useState(false);
  const print = async (): Promise<void> => {
    setPreparing(true);
    const all = await readRest(report);
    // The browser prints the page as it is now: with all rows.
    flushSync(() => setPreparing(false));
    if (all !== null) window.print();
  };
  return (
    <Stack className={classes.report!}>
      <PrintedHead state={state} count={rows.length} />
      <Group align="flex-end" gap="sm" className={classes.screenOnly!}>
        <PersonAndDays />
        {mayOpen && (
          <Switch
            label={t('withValues')}
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
          loading={isPreparing}
          onClick={() => void print()}
        >
          {t('print')}
        </Button>
      </Group>
      <Reading of={t('reportNoun')} query={report} />
      {report.isSuccess && rows.length === 0 && <Empty title={t('noEvents')}>{t('noEventsHint')}</Empty>}
      {rows.length > 0 && (
        <WideTable
          label={t('views.report')}
          minWidth={900}
          heads={[t('recorded'), t('by'), t('about'), t('event'), t('field'), t('value'), t('reasonHead')]}
        >
          {rows.map((row) => (
            <Table.Tr key={`${row.event_id} ${row.field}`}>
              <Table.Td>{dateTimeFormat(row.recorded_at)}</Table.Td>
              <Table.Td>{row.actor_name === '' ? row.actor_id : row.actor_name}</Table.Td>
              <Table.Td>
                {isResource(row.subject) ? t(`resources.${row.subject}`) : row.subject}{' '}
                <Named id={row.subject_id} names={names} />
              </Table.Td>
              <Table.Td>
                {eventName(row.event)} <Code>{row.event}</Code>
              </Table.Td>
              <Table.Td>{row.field !== '' && <FieldName field={row.field} texts="audit" />}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {isId(row.value) ? <Named id={row.value} names={names} /> : recordedText(row.field, row.value, 'audit')}
              </Table.Td>
              <Table.Td>{recordedText('reason_code', row.reason, 'audit')}</Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      )}
      <ShowMore of={report} />
    </Stack>
  );
}

/**
 * The columns of `workforce audit report`: the members of a row, in the order of the API. The heads follow
 * the language, in English they are the names of the API; the cells hold what was recorded.
 */
function tableOf(rows: readonly Row[]): string {
  return csvOf(
    (Object.keys(rows[0]!) as readonly (keyof Row)[]).map((name) => i18next.t(`audit:columns.${name}`)),
    rows.map((row) => Object.values(row)),
  );
}

interface PrintedHeadProperties {
  readonly state: AuditState;
  readonly count: number;
}

/** What a printed report is about, and when it was made. */
function PrintedHead({ state: { person, from, to }, count }: PrintedHeadProperties) {
  const { t } = useTranslation('audit');
  const { organisation, user } = useSession();
  const names = useNames([person ?? null]);
  const lines = [
    organisation.name,
    person === undefined ? t('allPeople') : `${t('about')} ${names.of(person) ?? person} (${person})`,
    t('printedPeriod', {
      from: from === undefined ? '…' : shortDayText(from),
      to: to === undefined ? '…' : shortDayText(to),
    }),
    t('printedRows', { count }),
    t('printedBy', { name: user.email, time: dateTimeFormat(new Date().toISOString()) }),
  ];
  return (
    <div className={classes.head}>
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </div>
  );
}
