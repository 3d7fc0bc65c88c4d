import { ActionIcon, Badge, Button, Card, Group, Select, Stack, Switch, Table, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { shortDayText, today } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import { useMay } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { Empty, Failure, Reading } from '../../ui/states.js';

type Holiday = Schemas['PublicHolidayResponse'];
type Change = Schemas['ChangePublicHolidayRequest'];
type Part = NonNullable<Change['day_part']>;

const KINDS: Readonly<Record<Holiday['kind'], string>> = {
  public: 'by law',
  bank: 'banks close',
  optional: 'optional',
  school: 'schools close',
  observance: 'observance',
  organisation: 'added here',
};
const PARTS: Readonly<Record<Part, string>> = { full: 'All day', morning: 'Morning', afternoon: 'Afternoon' };

/** The holidays of a year, and for users with permission, the organisation's own changes of days. */
export function Holidays() {
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
        <Group gap={4}>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Year before"
            onClick={() => change({ year: String(year - 1) })}
          >
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <Text fw={600}>{year}</Text>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Year after"
            onClick={() => change({ year: String(year + 1) })}
          >
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
        </Group>
        <Switch
          label="With days that are working days"
          checked={isWithAll}
          onChange={({ target }) => change({ all: target.checked ? 'true' : undefined })}
        />
        {may && (
          <Button variant="default" onClick={() => setIsAdding(true)}>
            Add a day…
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        Holidays by law of {rows[0]?.region ?? 'the region'}, and days that the organisation changed. Recorded time off
        keeps its count.
      </Text>
      <Reading of="the holidays" query={holidays} />
      {holidays.isSuccess && rows.length === 0 && <Empty title="No holidays" />}
      {rows.length > 0 && (
        <Card withBorder padding={0}>
          <Table verticalSpacing={6} aria-label={`Public holidays of ${year}`}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Day</Table.Th>
                <Table.Th>Name</Table.Th>
                <Table.Th>Free</Table.Th>
                <Table.Th>Kind</Table.Th>
                {may && <Table.Th>Change</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.id}>
                  <Table.Td>{shortDayText(row.date)}</Table.Td>
                  <Table.Td>{row.name}</Table.Td>
                  <Table.Td>{row.is_counted ? PARTS[row.day_part] : 'Working day'}</Table.Td>
                  <Table.Td>
                    <Badge variant="default">{KINDS[row.kind]}</Badge>
                  </Table.Td>
                  {may && (
                    <Table.Td>
                      <ChangeOf row={row} />
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Card>
      )}
      {isAdding && <AddDay year={year} onClose={() => setIsAdding(false)} />}
    </Stack>
  );
}

/** The possible changes of a listed day. */
function ChangeOf({ row }: { readonly row: Holiday }) {
  const said: Change =
    row.kind === 'organisation'
      ? { change: 'restore', date: row.date }
      : row.is_counted
        ? { change: 'remove', date: row.date }
        : row.kind === 'public'
          ? { change: 'restore', date: row.date }
          : { change: 'add', date: row.date, name: row.name, day_part: row.day_part };
  const write = useChange();
  const labels: Readonly<Record<Change['change'], string>> = {
    add: 'Make it free',
    remove: 'Make it a working day',
    restore: row.kind === 'organisation' ? 'Take back' : 'Make it free again',
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={write.isPending}
        aria-label={`${labels[said.change]}: ${row.name}, ${shortDayText(row.date)}`}
        onClick={() => write.mutate(said)}
      >
        {labels[said.change]}
      </Button>
      {write.isError && <Failure error={write.error} />}
    </>
  );
}

function AddDay({ year, onClose }: { readonly year: number; readonly onClose: () => void }) {
  const [date, setDate] = useState(`${year}-12-24`);
  const [name, setName] = useState('');
  const [part, setPart] = useState<Part>('full');
  const write = useChange(onClose);
  return (
    <Dialog onClose={onClose} title="Add a day that is free">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({ change: 'add', date, name, day_part: part });
        }}
      >
        <Stack>
          <TextInput
            type="date"
            label="Day"
            required
            value={date}
            error={issueOf(write.error, 'date')}
            onChange={({ target }) => setDate(target.value)}
          />
          <TextInput
            label="Name"
            required
            value={name}
            error={issueOf(write.error, 'name')}
            onChange={({ target }) => setName(target.value)}
          />
          <Select
            label="Free"
            allowDeselect={false}
            data={Object.entries(PARTS).map(([value, label]) => ({ value, label }))}
            value={part}
            onChange={(value) => setPart((value ?? 'full') as Part)}
          />
          {write.isError && <Failure error={write.error} />}
          <FormButtons
            action="Add"
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
  return useWrite((body: Change, header) => answerOf(client.POST('/public-holidays', { params: { header }, body })), {
    onSuccess: (_, { change, date }) => {
      const done = { add: 'is free', remove: 'is a working day', restore: 'follows the calendar' }[change];
      notifications.show({ message: `${shortDayText(date)} ${done}.`, color: 'teal' });
      onDone?.();
    },
  });
}
