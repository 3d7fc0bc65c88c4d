import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { amountText, daysText, shortDayText, today } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { useDecision } from '../../data/use-decision.js';
import { usePages } from '../../data/use-pages.js';
import { Page } from '../../ui/page.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { spanText } from './span-text.js';
import { Unlinked } from './my-page.js';
import { RequestTimeOff } from './request-time-off.js';

type TimeOff = Schemas['TimeOffResponse'];
type Report = Schemas['ReportResponse'];

/** Who reports to the user, where they are today, and their requests for time off. */
export function MyTeam() {
  const { t } = useTranslation('my-page');
  const { person_id: personId } = useSession();
  if (personId === null) return <Unlinked title={t('team')} />;
  return (
    <Page title={t('team')} note={shortDayText(today())}>
      <Requests self={personId} />
      <Reports self={personId} />
    </Page>
  );
}

function Requests({ self }: { readonly self: string }) {
  const { t } = useTranslation('my-page');
  const pending = usePages(['time-off', 'pending', 'team'], (after) =>
    answerOf(client.GET('/time-off', { params: { query: { status: 'pending' as const, limit: 50, ...after } } })),
  );
  // The user's own requests are decided by their manager.
  const rows = pending.items.filter(({ person }) => person.id !== self);
  return (
    <section aria-label={t('toDecide')}>
      <Title order={2} size="h4" mb="sm">
        {t('toDecide')}
      </Title>
      <Reading of={t('toDecide')} query={pending} />
      {pending.isSuccess && rows.length === 0 && <Text c="dimmed">{t('nothingToDecide')}</Text>}
      <Stack gap="sm">
        {rows.map((row) => (
          <Request key={row.id} request={row} />
        ))}
        <ShowMore of={pending}>{t('more')}</ShowMore>
      </Stack>
    </section>
  );
}

function Request({ request }: { readonly request: TimeOff }) {
  const { t } = useTranslation('my-page');
  const { person, category } = request;
  const balance = useQuery({
    queryKey: ['people', person.id, 'balance'],
    queryFn: () =>
      answerOf(client.GET('/people/{personId}/time-off-balance', { params: { path: { personId: person.id } } })),
  });
  const account = balance.data?.data.balances.find((one) => one.category.id === category.id);
  const { note, setNote, isReady, isPending, error, decide } = useDecision(request, true, (decision) =>
    notifications.show({ message: `${person.display_name}: ${t(`statuses.${decision}`)}`, color: 'teal' }),
  );
  const of = { name: person.display_name, days: spanText(t, request) };
  const button = { size: 'xs', loading: isPending, disabled: !isReady } as const;
  return (
    <Card withBorder padding="sm" component="article" aria-label={t('requestOf', of)}>
      <Group justify="space-between" align="flex-end">
        <div>
          <Text fw={600}>{person.display_name}</Text>
          <Text size="sm">
            {category.label}, {of.days} ({daysText(request.total_days)})
          </Text>
          {account !== undefined && (
            <Text size="sm" c="dimmed">
              {t('available', { amount: amountText(account, 'available') })}
            </Text>
          )}
        </div>
        <Group gap="xs" align="flex-end">
          <TextInput
            size="xs"
            label={t('note')}
            maxLength={500}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
          <Button {...button} variant="default" onClick={() => decide('rejected')} aria-label={t('rejectOf', of)}>
            {t('reject')}
          </Button>
          <Button {...button} onClick={() => decide('approved')} aria-label={t('approveOf', of)}>
            {t('approve')}
          </Button>
        </Group>
      </Group>
      {error !== null && <Failure error={error} />}
    </Card>
  );
}

function Reports({ self }: { readonly self: string }) {
  const { t } = useTranslation('my-page');
  const [chosen, setChosen] = useState<Report['person'] | null>(null);
  const day = today();
  const reports = usePages(['people', self, 'reports'], (after) =>
    answerOf(
      client.GET('/people/{personId}/reports', {
        params: { path: { personId: self }, query: { depth: 'all' as const, limit: 100, ...after } },
      }),
    ),
  );
  const out = useQuery({
    queryKey: ['time-off', 'out', day],
    queryFn: () =>
      answerOf(client.GET('/time-off/who-is-out', { params: { query: { from: day, to: day, limit: 200 } } })),
  });
  const spans = new Map((out.data?.data ?? []).map(({ person, spans: all }) => [person.id, all[0]!]));
  return (
    <section aria-label={t('reports')}>
      <Title order={2} size="h4" mb="sm">
        {t('reports')}
      </Title>
      <Reading of={t('reports')} query={reports} />
      {reports.isSuccess && reports.items.length === 0 && <Empty title={t('noReports')}>{t('noReportsHint')}</Empty>}
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {reports.items.map(({ person, depth }) => (
          <Card key={person.id} component="li" withBorder padding="sm">
            <Group justify="space-between" gap="xs">
              <Group gap="sm" wrap="nowrap" miw={0}>
                <PersonPicture name={person.display_name} />
                <div>
                  <Text fw={600}>{person.display_name}</Text>
                  <Text size="sm" c="dimmed">
                    {[person.job_title, depth > 1 ? t('reportsTo', { name: person.manager?.display_name }) : null]
                      .filter(Boolean)
                      .join(' · ')}
                  </Text>
                </div>
              </Group>
              <Group gap="sm">
                <Whereabouts span={spans.get(person.id)} isKnown={out.isSuccess} place={person.work_place?.label} />
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => setChosen(person)}
                  aria-label={t('requestFor', { name: person.display_name })}
                >
                  {t('request')}
                </Button>
              </Group>
            </Group>
          </Card>
        ))}
      </Stack>
      <ShowMore of={reports} mt="sm">
        {t('more')}
      </ShowMore>
      {chosen !== null && (
        <RequestTimeOff person={{ id: chosen.id, name: chosen.display_name }} onClose={() => setChosen(null)} />
      )}
    </section>
  );
}

interface WhereaboutsProperties {
  readonly span: Schemas['SpanOut'] | undefined;
  readonly isKnown: boolean;
  readonly place: string | undefined;
}

/** Where a person is today: out, with the last day of it, or at work. */
function Whereabouts({ span, isKnown, place }: WhereaboutsProperties) {
  const { t } = useTranslation('my-page');
  if (!isKnown) return null;
  if (span === undefined) return <StateBadge tone="good">{place ?? t('atWork')}</StateBadge>;
  const day = shortDayText(span.end_date);
  return <StateBadge tone="watch">{t('outUntil', { category: span.category.label, day })}</StateBadge>;
}
