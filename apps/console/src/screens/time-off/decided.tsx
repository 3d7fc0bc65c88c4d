import { Button, Card, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat, shortDayText } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';

type TimeOff = Schemas['TimeOffResponse'];

const PAGE_SIZE = 50;
const TONES: Readonly<Record<TimeOff['status_code'], Tone>> = {
  pending: 'watch',
  approved: 'good',
  rejected: 'bad',
  cancelled: 'quiet',
};

/** The latest decisions and their actors. */
export function Decided() {
  const records = usePages(['time-off', 'decided'], (after) =>
    answerOf(client.GET('/time-off', { params: { query: { sort: 'updated_at_desc', limit: PAGE_SIZE, ...after } } })),
  );
  const decided = records.items.filter(({ status_code: status }) => status !== 'pending');
  return (
    <Stack gap="sm">
      <Reading of="decisions" query={records} />
      {records.isSuccess && !records.hasNextPage && decided.length === 0 && <Empty title="Nothing was decided yet" />}
      {decided.map((record) => (
        <Decision key={record.id} record={record} />
      ))}
      <ShowMore of={records} />
    </Stack>
  );
}

function Decision({ record }: { readonly record: TimeOff }) {
  const mayRead = useMay('time_off:decisions:read');
  const [isOpen, setIsOpen] = useState(false);
  const { person, category, start_date: from, end_date: to, status_code: status } = record;
  return (
    <Card withBorder padding="sm" component="article" aria-label={`${person.display_name}, ${shortDayText(from)}`}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <ScreenLink to={`/people/${person.id}`} fw={600}>
              {person.display_name}
            </ScreenLink>
            <StateBadge tone={TONES[status]}>{status}</StateBadge>
          </Group>
          <Text size="sm">
            {category.label}, {from === to ? shortDayText(from) : `${shortDayText(from)} to ${shortDayText(to)}`}
          </Text>
        </div>
        {mayRead && (
          <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            Who decided
          </Button>
        )}
      </Group>
      {isOpen && <Steps of={record.id} />}
    </Card>
  );
}

function Steps({ of: timeOffId }: { readonly of: string }) {
  const steps = useQuery({
    queryKey: ['time-off', timeOffId, 'decisions'],
    queryFn: () =>
      answerOf(
        client.GET('/time-off/{timeOffId}/decisions', { params: { path: { timeOffId }, query: { with_notes: true } } }),
      ),
  });
  return (
    <>
      <Reading of="the decisions" query={steps} />
      {steps.isSuccess && (
        <List size="sm" mt="xs" aria-label="Decisions">
          {steps.data.data.map(({ decision, decided_at: at, decided_by: by, approved_by: approver, note }) => (
            <List.Item key={`${decision} ${at}`}>
              {decision} {dateTimeFormat(at)} by {by.name ?? by.id}
              {approver !== null && `, approved by ${approver.name ?? approver.id}`}
              {note !== null && note !== undefined && `: “${note}”`}
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
