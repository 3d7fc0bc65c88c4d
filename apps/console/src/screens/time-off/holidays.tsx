import { Badge, Button, Card, Group, Select, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { shortDayText, today } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import { useMay } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { PeriodButtons } from '../../ui/period-buttons.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';

type Holiday = Schemas['PublicHolidayResponse'];
type Change = Schemas['ChangePublicHolidayRequest'];
type Part = NonNullable<Change['day_part']>;

const HEADS = ['day', 'name', 'free', 'kind'] as const;
const PARTS: readonly Part[] = ['full', 'morning', 'afternoon'];

/** The holidays of a year, and for users with permission, the organisation's own changes of days. */
export function Holidays() {
  const { t } = useTranslation('time-off');
  const [{ year: named, all }, change] = useAddress<{ year?: string; all?: string }>();
  const may = useMay('time_off:config:write');
  const [isAdding, setIsAdding] = useState(false);
  const year = Number(named ?? today().slice(0, 4));
  const isWithAll = all === 'true';
  const query = { year, ...(isWithAll ? { with_working_days: true } : {}) };
  const holidays = useQuery({
    queryKey: ['public-holidays', query],
    queryFn: () => answerOf(client.GET('/public-holidays', { params: { query } })),
  });
  const rows = holidays.data?.data ?? [];
  return (
    <Stack>
      <Group align="center" gap="sm">
        <PeriodButtons
          before={t('holidays.before')}
          after={t('holidays.after')}
          onStep={(step) => change({ year: String(year + step) })}
        >
          <Text fw={600}>{year}</Text>
        </PeriodButtons>
        <Switch
          label={t('holidays.withAll')}
          checked={isWithAll}
          onChange={({ target }) => change({ all: target.checked ? 'true' : undefined })}
        />
        {may && (
          <Button variant="default" onClick={() => setIsAdding(true)}>
            {t('holidays.add')}
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t('holidays.explanation', { region: rows[0]?.region ?? t('holidays.theRegion') })}
      </Text>
      <Reading of={t('holidays.reading')} query={holidays} />
      {holidays.isSuccess && rows.length === 0 && <Empty title={t('holidays.none')} />}
      {rows.length > 0 && (
        <Card withBorder padding={0}>
          <WideTable
            label={t('holidays.label', { year })}
            heads={[...HEADS, ...(may ? (['change'] as const) : [])].map((head) => t(`holidays.${head}`))}
            minWidth={560}
          >
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td>{shortDayText(row.date)}</Table.Td>
                <Table.Td>{row.name}</Table.Td>
                <Table.Td>{t(row.is_counted ? `holidays.parts.${row.day_part}` : 'holidays.workingDay')}</Table.Td>
                <Table.Td>
                  <Badge variant="default" miw="max-content">
                    {t(`holidays.kinds.${row.kind}`)}
                  </Badge>
                </Table.Td>
                {may && (
                  <Table.Td>
                    <ChangeOf row={row} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </WideTable>
        </Card>
      )}
      {isAdding && <AddDay year={year} onClose={() => setIsAdding(false)} />}
    </Stack>
  );
}

/** The possible changes of a listed day. */
function ChangeOf({ row }: { readonly row: Holiday }) {
  const { t } = useTranslation('time-off');
  const said: Change =
    row.kind === 'organisation'
      ? { change: 'restore', date: row.date }
      : row.is_counted
        ? { change: 'remove', date: row.date }
        : row.kind === 'public'
          ? { change: 'restore', date: row.date }
          : { change: 'add', date: row.date, name: row.name, day_part: row.day_part };
  const write = useChange();
  const isTakenBack = said.change === 'restore' && row.kind === 'organisation';
  const action = t(`holidays.actions.${isTakenBack ? 'takeBack' : said.change}`);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={write.isPending}
        aria-label={t('holidays.actionOf', { action, name: row.name, day: shortDayText(row.date) })}
        onClick={() => write.mutate(said)}
      >
        {action}
      </Button>
      {write.isError && <Failure error={write.error} />}
    </>
  );
}

function AddDay({ year, onClose }: { readonly year: number; readonly onClose: () => void }) {
  const { t } = useTranslation('time-off');
  const [date, setDate] = useState(`${year}-12-24`);
  const [name, setName] = useState('');
  const [part, setPart] = useState<Part>('full');
  const write = useChange(onClose);
  return (
    <Dialog onClose={onClose} title={t('holidays.addTitle')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ change: 'add', date, name, day_part: part });
        }}
      >
        <Stack>
          <TextInput
            type="date"
            label={t('holidays.day')}
            required
            value={date}
            error={issueOf(write.error, 'date')}
            onChange={({ target }) => setDate(target.value)}
          />
          <TextInput
            label={t('holidays.name')}
            required
            value={name}
            error={issueOf(write.error, 'name')}
            onChange={({ target }) => setName(target.value)}
          />
          <Select
            label={t('holidays.free')}
            allowDeselect={false}
            data={PARTS.map((value) => ({ value, label: t(`holidays.parts.${value}`) }))}
            value={part}
            onChange={(value) => setPart((value ?? 'full') as Part)}
          />
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action={t('holidays.addAction')}
            isPending={write.isPending}
            isDisabled={name.trim() === '' || date === ''}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

function useChange(onDone?: () => void) {
  const { t } = useTranslation('time-off');
  return useWrite((body: Change, header) => answerOf(client.POST('/public-holidays', { params: { header }, body })), {
    onSuccess: (_, { change, date }) => {
      notifications.show({ message: t(`holidays.done.${change}`, { day: shortDayText(date) }), color: 'teal' });
      onDone?.();
    },
  });
}
