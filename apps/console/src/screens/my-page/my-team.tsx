import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { shortDayText, today } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { Page } from '../../ui/page.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { Calendar } from '../time-off/calendar.js';
import { Queue } from '../time-off/queue.js';
import { RequestTimeOff } from '../time-off/request-time-off.js';
import { Unlinked } from './my-page.js';

type Report = Schemas['ReportResponse'];

/** Who reports to the user, where they are today, and their requests for time off. */
export function MyTeam() {
  const { t } = useTranslation('my-page');
  const { t: time } = useTranslation('time-off');
  const { person_id: personId } = useSession();
  if (personId === null) return <Unlinked title={t('team')} />;
  return (
    <Page
      title={t('team')}
      note={shortDayText(today())}
      actions={
        <ScreenLink to="/calendar-links" search={{ make: 'team' }} size="sm">
          {time('subscribe')}
        </ScreenLink>
      }
    >
      <Queue except={personId} isOfManager />
      <Reports self={personId} />
      <section aria-label={time('views.calendar')}>
        <Stack>
          <Calendar managerId={personId} />
        </Stack>
      </section>
    </Page>
  );
}

function Reports({ self }: { readonly self: string }) {
  const { t } = useTranslation('my-page');
  const { t: time } = useTranslation('time-off');
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
                <ScreenLink to={`/people/${person.id}/balance`} size="sm" title={person.display_name}>
                  {t('balances')}
                </ScreenLink>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => setChosen(person)}
                  aria-label={time('request.of', { name: person.display_name })}
                >
                  {time('request.action')}
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
