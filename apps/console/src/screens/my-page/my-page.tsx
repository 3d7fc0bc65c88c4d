import { Anchor, Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import type { TFunction } from 'i18next';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Person, type Schemas } from '../../data/client.js';
import { amountText, daysText, hoursText, plusDays, shortDayText } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { Definitions } from '../../ui/definitions.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { TimeOffRecord } from '../time-off/record.js';
import { RequestTimeOff } from '../time-off/request-time-off.js';
import { spanText } from '../time-off/span-text.js';
import { TONES } from '../time-off/tones.js';

/** The user's own record: profile, time off with balances, and how the terms came about. */
export function MyPage() {
  const { t } = useTranslation('my-page');
  const { person_id: personId } = useSession();
  return personId === null ? <Unlinked title={t('title')} /> : <Own personId={personId} />;
}

/** The page of a user whose account no person belongs to, or who sees nobody today. */
export function Unlinked({ title }: { readonly title: string }) {
  const { t } = useTranslation('my-page');
  return (
    <Page title={title}>
      <Empty title={t('nothing')}>{t('nothingHint')}</Empty>
    </Page>
  );
}

function Own({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('my-page');
  const { t: time } = useTranslation('time-off');
  const [isAsking, setIsAsking] = useState(false);
  const path = { personId };
  const person = useQuery({
    queryKey: ['people', personId],
    queryFn: () => answerOf(client.GET('/people/{personId}', { params: { path } })),
  });
  const profile = useQuery({
    queryKey: ['people', personId, 'personal'],
    queryFn: () => answerOf(client.GET('/people/{personId}/personal', { params: { path } })),
    enabled: person.isSuccess,
  });
  const row = person.data?.data;
  if (person.isError && 'status' in person.error && person.error.status === 404) return <Unlinked title={t('title')} />;
  if (row === undefined)
    return (
      <Page title={t('title')}>
        <Reading of={t('title')} query={person} />
      </Page>
    );
  const name = row.display_name;
  return (
    <Page
      title={t('title')}
      note={[name, row.job_title].filter(Boolean).join(' · ')}
      actions={
        <>
          <ScreenLink to="/calendar-links" size="sm" mr="xs">
            {time('subscribe')}
          </ScreenLink>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
            {time('request.action')}
          </Button>
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Part title={t('work')}>
          <Definitions label={t('work')} rows={workOf(t, row)} />
        </Part>
        <Part title={t('private')}>
          <Reading of={t('private')} query={profile} />
          {profile.data !== undefined && <Definitions label={t('private')} rows={privateOf(t, profile.data.data)} />}
        </Part>
        <Part title={t('balances')}>
          <Balances personId={personId} />
        </Part>
        <Part title={t('history')}>
          <History personId={personId} />
        </Part>
      </SimpleGrid>
      <TimeOff personId={personId} />
      {isAsking && <RequestTimeOff person={{ id: personId, name: null }} onClose={() => setIsAsking(false)} />}
    </Page>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}

type Facts = Parameters<typeof Definitions>[0]['rows'];

type T = TFunction<'my-page'>;

function workOf(t: T, row: Person): Facts {
  const minutes = row.contracted_weekly_minutes;
  return [
    [t('workEmail'), row.work_email],
    [t('department'), row.department?.name],
    [t('manager'), row.manager?.display_name],
    [t('workPlace'), row.work_place?.label],
    [t('weekly'), minutes === null ? null : hoursText(minutes, 2)],
    [t('firstDay'), row.start_date === null ? null : shortDayText(row.start_date)],
    ...(row.end_date === null ? [] : [[t('lastDay'), shortDayText(row.end_date)] as const]),
  ];
}

function privateOf(t: T, profile: Schemas['PersonalProfileResponse']): Facts {
  const home = profile.home_address;
  const address = home === null ? null : [home.address_line_1, home.postal_code, home.city].filter(Boolean).join(', ');
  return [
    [t('birthday'), profile.date_of_birth === null ? null : shortDayText(profile.date_of_birth)],
    [t('privateEmail'), profile.personal_email],
    [t('privatePhone'), profile.personal_phone_number],
    [t('workPhone'), profile.work_phone_number],
    [t('address'), address],
  ];
}

function Balances({ personId }: { readonly personId: string }) {
  const { t } = useTranslation(['my-page', 'common']);
  const balance = useQuery({
    queryKey: ['people', personId, 'balance'],
    queryFn: () => answerOf(client.GET('/people/{personId}/time-off-balance', { params: { path: { personId } } })),
  });
  const rows = balance.data?.data.balances ?? [];
  return (
    <>
      <Reading of={t('balances')} query={balance} />
      {balance.isSuccess && rows.length === 0 && <Text c="dimmed">{t('noBalances')}</Text>}
      <Definitions label={t('balances')} rows={rows.map((one) => [one.category.label, amountText(one, 'available')])} />
      <ScreenLink to={`/people/${personId}/balance`} size="sm">
        {t('common:balanceWhy')}
      </ScreenLink>
    </>
  );
}

/** The periods of the user's own employment, the latest first. */
function History({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('my-page');
  const timeline = useQuery({
    queryKey: ['people', personId, 'timeline'],
    queryFn: () => answerOf(client.GET('/people/{personId}/timeline', { params: { path: { personId } } })),
  });
  const segments = (timeline.data?.data.segments ?? []).toReversed();
  return (
    <>
      <Reading of={t('history')} query={timeline} />
      <Stack component="ol" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {segments.map(({ effective_from: from, effective_to: to, employed, job_title, department, manager }) => (
          <li key={from ?? ''}>
            <Text size="xs" c="dimmed">
              {periodText(t, from, to)}
            </Text>
            <Text size="sm">
              {employed
                ? [
                    job_title,
                    department?.name,
                    manager === null ? null : t('reportsTo', { name: manager.display_name }),
                  ]
                    .filter(Boolean)
                    .join(' · ') || t('employed')
                : t('notEmployed')}
            </Text>
          </li>
        ))}
      </Stack>
    </>
  );
}

/** A period whose end is exclusive; null where it is open. */
function periodText(t: T, from: string | null, to: string | null): string {
  const [first, last] = [
    from === null ? null : shortDayText(from),
    to === null ? null : shortDayText(plusDays(to, -1)),
  ];
  if (first === null) return last === null ? t('always') : t('until', { day: last });
  return last === null ? t('since', { day: first }) : t('span', { from: first, to: last });
}

function TimeOff({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('my-page');
  const { t: time } = useTranslation('time-off');
  const [opened, setOpened] = useState<string | null>(null);
  const records = usePages(['time-off', 'own', personId], (after) =>
    answerOf(
      client.GET('/time-off', {
        params: { query: { person_id: personId, sort: 'updated_at_desc' as const, limit: 20, ...after } },
      }),
    ),
  );
  return (
    <Part title={t('timeOff')}>
      <Reading of={t('timeOff')} query={records} />
      {records.isSuccess && records.items.length === 0 && <Text c="dimmed">{t('noTimeOff')}</Text>}
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {records.items.map((one) => (
          <Group key={one.id} component="li" justify="space-between" gap="xs">
            <Anchor component="button" size="sm" ta="left" onClick={() => setOpened(one.id)}>
              {one.category.label}, {spanText(one)} ({daysText(one.total_days)})
            </Anchor>
            <StateBadge tone={TONES[one.status_code]}>{time(`statuses.${one.status_code}`)}</StateBadge>
          </Group>
        ))}
      </Stack>
      <ShowMore of={records}>{t('more')}</ShowMore>
      {opened !== null && <TimeOffRecord id={opened} onClose={() => setOpened(null)} />}
    </Part>
  );
}
