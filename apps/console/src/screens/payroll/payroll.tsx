import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Stack,
  Table,
  Tabs,
  Text,
  TextInput,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { IconChevronDown, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { Fragment, useState } from 'react';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { listText } from '../../data/locale.js';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { csvOf } from '../../data/csv.js';
import { dateTimeFormat, shortDayText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { DownloadAll } from '../../ui/download-all.js';
import { Page } from '../../ui/page.js';
import { Empty, Failure, Loading, Reading } from '../../ui/states.js';
import { type Field, fieldText, valueText } from '../../data/beliefs.js';
import classes from './payroll.module.css';
import { monthName, monthOf, type Period } from './period.js';
import { Readiness } from './readiness.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { PersonOf } from './person-of.js';

type Change = Schemas['PayrollChangeResponse'];
type State = { from?: string; to?: string; view?: string; only?: string };

const PAGE_SIZE = 200;
/** The kinds of changes, with their colours. */
const TYPES: Readonly<Record<Change['change_type'], string>> = {
  starter: 'teal',
  leaver: 'gray',
  rehire: 'teal',
  employment_change: 'indigo',
  correction: 'grape',
};
/** The heads of the CSV. */
const HEADS = [
  'fact_id',
  'person_id',
  'staff_id',
  'name',
  'change',
  'effective_date',
  'corrected_effective_date',
  'recorded_at',
  'is_late',
  'changed_fields',
] as const;

/** Data for a payroll run: changes in a period, and people who are not ready for payroll. */
export function Payroll() {
  const { t } = useTranslation('payroll');
  const [state, change] = useAddress<State>();
  const period: Period = {
    from: state.from ?? monthOf(today()).from,
    to: state.to ?? monthOf(state.from ?? today()).to,
  };
  const isReadiness = state.view === 'readiness';
  return (
    <Page title={t('title')} note={isReadiness ? t('readinessNote') : (monthName(period) ?? periodText(period))}>
      <Tabs
        value={isReadiness ? 'readiness' : 'changes'}
        onChange={(view) => change({ view: view === 'readiness' ? view : undefined })}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('parts')}>
          <Tabs.Tab value="changes">{t('changes')}</Tabs.Tab>
          <Tabs.Tab value="readiness">{t('readiness')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="changes" pt="md">
          <Changes period={period} isLateOnly={state.only === 'late'} />
        </Tabs.Panel>
        <Tabs.Panel value="readiness" pt="md">
          <Readiness />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Changes({ period, isLateOnly }: { readonly period: Period; readonly isLateOnly: boolean }) {
  const { t } = useTranslation('payroll');
  const [, change] = useAddress<State>();
  const list = usePages(['payroll-changes', period], (after) =>
    answerOf(
      client.GET('/payroll-changes-export', {
        params: { query: { ...period, limit: PAGE_SIZE, ...after } },
      }),
    ),
  );
  const { items: all } = list;
  const late = all.filter((one) => one.is_retroactive);
  const rows = isLateOnly ? late : all;
  return (
    <Stack>
      <Group align="flex-end" gap="sm">
        <Months period={period} />
        <TextInput
          label={t('firstDay')}
          type="date"
          value={period.from}
          onChange={({ target }) => target.value !== '' && change({ from: target.value, to: period.to })}
        />
        <TextInput
          label={t('lastDay')}
          type="date"
          value={period.to}
          onChange={({ target }) => target.value !== '' && change({ from: period.from, to: target.value })}
        />
        <Button
          variant={isLateOnly ? 'filled' : 'default'}
          aria-pressed={isLateOnly}
          onClick={() => change({ only: isLateOnly ? undefined : 'late' })}
          disabled={late.length === 0 && !isLateOnly}
        >
          {late.length > 0 ? t('lateOnlyCount', { count: late.length }) : t('lateOnly')}
        </Button>
        <DownloadAll of={list} fileName={`payroll-changes-${period.from}-${period.to}.csv`} tableOf={tableOf} />
      </Group>
      <Reading of={t('theChanges')} query={list} />
      {list.isSuccess && all.length === 0 && <Empty title={t('none.title')}>{t('none.hint')}</Empty>}
      {rows.length > 0 && <Summary rows={rows} />}
      {rows.length > 0 && <Rows rows={rows} />}
      <ShowMore of={list} />
    </Stack>
  );
}

function Months({ period }: { readonly period: Period }) {
  const { t } = useTranslation('payroll');
  const [, change] = useAddress<State>();
  const go = (later: number): void => change({ ...monthOf(period.from, later) });
  return (
    <Group gap={4}>
      <ActionIcon variant="default" size={36} aria-label={t('monthBefore')} onClick={() => go(-1)}>
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <Button variant="default" onClick={() => change({ from: undefined, to: undefined })}>
        {t('thisMonth')}
      </Button>
      <ActionIcon variant="default" size={36} aria-label={t('monthAfter')} onClick={() => go(1)}>
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

function tableOf(rows: readonly Change[]): string {
  return csvOf(
    HEADS.map((head) => i18next.t(`payroll:heads.${head}`)),
    rows.map((row) => [
      row.fact_id,
      row.person.id,
      row.person.staff_id,
      row.person.display_name,
      row.change_type,
      row.effective_date,
      row.corrected_effective_date,
      row.recorded_at,
      row.is_retroactive,
      row.changed_fields.join(' '),
    ]),
  );
}

function Summary({ rows }: { readonly rows: readonly Change[] }) {
  const { t } = useTranslation('payroll');
  const counts = (Object.keys(TYPES) as readonly Change['change_type'][]).flatMap((type) => {
    const count = rows.filter((row) => row.change_type === type).length;
    return count === 0 ? [] : [{ type, label: t(`counts.${type}`, { count }) }];
  });
  return (
    <Group gap="xs" aria-label={t('inAll')}>
      {counts.map(({ type, label }) => (
        <Badge key={type} variant="light" color={TYPES[type]} className={classes.badge!}>
          {label}
        </Badge>
      ))}
    </Group>
  );
}

function Rows({ rows }: { readonly rows: readonly Change[] }) {
  const { t } = useTranslation('payroll');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const maySeeValues = useMay('people:read');
  const toggle = (id: string): void =>
    setOpen((former) => new Set(former.has(id) ? [...former].filter((one) => one !== id) : [...former, id]));
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table verticalSpacing={6} highlightOnHover aria-label={t('changes')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('person')}</Table.Th>
            <Table.Th w={180}>{t('change')}</Table.Th>
            <Table.Th>{t('inForce')}</Table.Th>
            <Table.Th>{t('whatChanged')}</Table.Th>
            <Table.Th>{t('recorded')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Fragment key={row.fact_id}>
              <Table.Tr>
                <Table.Td className={classes.person!}>
                  <PersonOf person={row.person} isLink={maySeeValues} />
                </Table.Td>
                <Table.Td className={classes.change!}>
                  <Group gap={6} wrap="nowrap">
                    <Badge variant="light" color={TYPES[row.change_type]} className={classes.badge!}>
                      {t(`types.${row.change_type}`)}
                    </Badge>
                    {row.is_retroactive && (
                      <Tooltip label={t('lateHint')}>
                        <Badge variant="outline" color="orange" className={classes.badge!} tabIndex={0}>
                          {t('late')}
                        </Badge>
                      </Tooltip>
                    )}
                  </Group>
                </Table.Td>
                <Table.Td className={classes.day!}>
                  {shortDayText(row.effective_date)}
                  {row.corrected_effective_date !== null && row.corrected_effective_date !== row.effective_date && (
                    <Text size="xs" c="dimmed">
                      {t('before', { day: shortDayText(row.corrected_effective_date) })}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  {maySeeValues ? (
                    <UnstyledButton
                      className={classes.toggle!}
                      aria-expanded={open.has(row.fact_id)}
                      onClick={() => toggle(row.fact_id)}
                    >
                      <IconChevronDown
                        size={14}
                        aria-hidden
                        className={classes.chevron}
                        data-open={open.has(row.fact_id) || undefined}
                      />
                      <span>{fieldsText(row.changed_fields)}</span>
                    </UnstyledButton>
                  ) : (
                    fieldsText(row.changed_fields)
                  )}
                </Table.Td>
                <Table.Td className={classes.day!}>{dateTimeFormat(row.recorded_at)}</Table.Td>
              </Table.Tr>
              {open.has(row.fact_id) && (
                <Table.Tr className={classes.values!}>
                  <Table.Td colSpan={5}>
                    <Values row={row} />
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The values right before the fact was recorded, and since: the timeline, as known at these two times. */
function Values({ row: { person, recorded_at: recordedAt, changed_fields: changed } }: { readonly row: Change }) {
  const { t } = useTranslation('payroll');
  const before = new Date(Date.parse(recordedAt) - 1).toISOString();
  const read = useQuery({
    queryKey: ['payroll-values', person.id, recordedAt],
    queryFn: () =>
      answerOf(
        client.GET('/people/{personId}/timeline', {
          params: { path: { personId: person.id }, query: { known_at: recordedAt, compare_known_at: before } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (read.isPending) return <Loading of={t('theValues')} />;
  if (read.isError) return <Failure error={read.error} onRetry={() => void read.refetch()} />;
  // The end of an employment is a change of payroll; the end of its terms is not.
  const changes = (read.data.data.changes ?? []).filter(({ field }) => field === 'employed' || changed.includes(field));
  if (changes.length === 0) return <Text size="sm">{t('sameValues')}</Text>;
  return (
    <Table aria-label={t('valuesOf', { name: person.display_name })} withRowBorders={false} verticalSpacing={2}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('field')}</Table.Th>
          <Table.Th>{t('beforeHead')}</Table.Th>
          <Table.Th>{t('after')}</Table.Th>
          <Table.Th>{t('days')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ field, before: former, after, effective_from: from, effective_to: to }) => (
          <Table.Tr key={`${field} ${from} ${to}`}>
            <Table.Td>{fieldText(field)}</Table.Td>
            <Table.Td>{valueText(field as Field, former)}</Table.Td>
            <Table.Td fw={600}>{valueText(field as Field, after)}</Table.Td>
            <Table.Td>{daysText(from, to)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** `to` is exclusive. */
function daysText(from: string | null, to: string | null): string {
  const [first, end] = [from === null ? '' : shortDayText(from), to === null ? '' : shortDayText(to)];
  if (from === null)
    return to === null ? i18next.t('payroll:span.until') : i18next.t('payroll:span.untilBefore', { to: end });
  return to === null
    ? i18next.t('payroll:span.from', { from: first })
    : i18next.t('payroll:span.fromUntilBefore', { from: first, to: end });
}

function fieldsText(fields: readonly string[]): string {
  return fields.length === 0 ? i18next.t('payroll:nothingVisible') : listText(fields.map(fieldText));
}

function periodText({ from, to }: Period): string {
  return i18next.t('payroll:period', { from: shortDayText(from), to: shortDayText(to) });
}
