import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { spanText } from './span-text.js';
import { Steps } from './steps.js';
import { TONES } from './tones.js';

type TimeOff = Schemas['TimeOffResponse'];

const PAGE_SIZE = 50;

/** The latest decisions and their actors. */
export function Decided() {
  const { t } = useTranslation('time-off');
  const records = usePages(['time-off', 'decided'], (after) =>
    answerOf(client.GET('/time-off', { params: { query: { sort: 'updated_at_desc', limit: PAGE_SIZE, ...after } } })),
  );
  const decided = records.items.filter(({ status_code: status }) => status !== 'pending');
  return (
    <Stack gap="sm">
      <Reading of={t('decided.reading')} query={records} />
      {records.isSuccess && !records.hasNextPage && decided.length === 0 && <Empty title={t('decided.empty')} />}
      {decided.map((record) => (
        <Decision key={record.id} record={record} />
      ))}
      <ShowMore of={records} />
    </Stack>
  );
}

function Decision({ record }: { readonly record: TimeOff }) {
  const { t } = useTranslation('time-off');
  const mayRead = useMay('time_off:decisions:read');
  const [isOpen, setIsOpen] = useState(false);
  const { person, category, start_date: from, status_code: status } = record;
  return (
    <Card withBorder padding="sm" component="article" aria-label={`${person.display_name}, ${shortDayText(from)}`}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <ScreenLink to={`/people/${person.id}`} fw={600} title={person.id}>
              {person.display_name}
            </ScreenLink>
            <StateBadge tone={TONES[status]}>{t(`statuses.${status}`)}</StateBadge>
          </Group>
          <Text size="sm">
            {category.label}, {spanText(record)}
          </Text>
        </div>
        {mayRead && (
          <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {t('decided.who')}
          </Button>
        )}
      </Group>
      {isOpen && <Steps of={record.id} />}
    </Card>
  );
}
