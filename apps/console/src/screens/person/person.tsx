import { ActionIcon, Button, Group, Menu, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCamera, IconChevronDown, IconHistory, IconTimeline } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Answer, answerOf, WorkforceError } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { useAddress, useParameter } from '../../data/address.js';
import { client, type Person, type Schemas } from '../../data/client.js';
import { amountText, dateTimeFormat, shortDayText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { titleOf } from '../../ui/failure-text.js';
import { Page } from '../../ui/page.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Failure, Loading, Reading } from '../../ui/states.js';
import { fieldText, TERMS, valueText } from '../../data/beliefs.js';
import { spanText } from '../time-off/span-text.js';
import { awayText } from './away.js';
import { type History, readHistory } from './history.js';
import { PayrollMarkers } from './payroll-markers.js';
import { WithdrawFact } from './withdraw.js';
import { plannedAfter, segmentOn, standingOn, termsTitle } from './standing.js';
import { Section } from './card.js';
import { CustomFields } from './custom-fields.js';
import { Definitions } from '../../ui/definitions.js';
import { Documents } from './documents.js';
import { ChangeTerms, CorrectHistory, EndEmployment, Rehire } from './forms.js';
import { Identity } from './identity.js';
import { EditPicture } from './picture.js';
import { EditProfile, PROFILE_TEXTS } from './profile.js';
import { type JustRecorded, useUndoOfFact } from './use-undo-of-fact.js';

type Employment = Schemas['EmploymentResponse'];

/** One person: their identity, their current employment, and the sections that the user's scopes open. */
export function PersonScreen() {
  const { t } = useTranslation('person');
  const personId = useParameter('personId');
  const path = { params: { path: { personId } } };
  const [mayWrite, mayAudit] = [useMay('people:write'), useMay('audit:read')];
  const person = useQuery({
    queryKey: ['people', personId],
    queryFn: () => answerOf(client.GET('/people/{personId}', path)),
  });
  const employment = useQuery({
    queryKey: ['people', personId, 'employment'],
    queryFn: () => answerOf(client.GET('/people/{personId}/employment', path)),
  });
  const history = useQuery({ queryKey: ['people', personId, 'timeline'], queryFn: () => readHistory(personId) });
  const avatar = useQuery({
    queryKey: ['people', personId, 'avatar'],
    queryFn: () => orNull(answerOf(client.GET('/people/{personId}/avatar', path))),
    enabled: useMay('people:avatar:read'),
  });
  const day = today();
  const away = useQuery({
    queryKey: ['people', personId, 'time-off', day],
    queryFn: () =>
      answerOf(
        client.GET('/time-off', { params: { query: { person_id: personId, status: 'approved', from: day, to: day } } }),
      ),
    enabled: useMay('time_off:read'),
  });
  if (person.isError)
    return (
      <Page title={titleOf(person.error)}>
        <Failure error={person.error} onRetry={() => void person.refetch()} />
      </Page>
    );
  if (person.isPending) return <Loading of={t('reading')} />;
  const { data } = person.data;
  const segments = history.data?.data.segments ?? [];
  const standing = standingOn(data, day);
  const out = awayText(away.data?.data ?? [], day);
  return (
    <Page
      title={data.display_name}
      note={
        <Group gap="xs">
          <Picture personId={personId} name={data.display_name} src={avatar.data?.data?.download_url ?? null} />
          {data.job_title}
          <StateBadge tone={standing.tone}>{standing.text}</StateBadge>
          {out !== null && <StateBadge tone="watch">{out}</StateBadge>}
        </Group>
      }
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconTimeline size={16} aria-hidden />}
            renderRoot={(root) => <Link to={`/people/${personId}/timeline` as never} {...root} />}
          >
            {t('timeline')}
          </Button>
          {mayAudit && (
            <Button
              variant="default"
              leftSection={<IconHistory size={16} aria-hidden />}
              renderRoot={(root) => <Link to={'/audit' as never} search={{ person: personId } as never} {...root} />}
            >
              {t('activity')}
            </Button>
          )}
          {mayWrite && history.isSuccess && <Actions personId={personId} person={person.data} history={history.data} />}
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Identity personId={personId} answer={person.data} />
        <Section title={termsTitle(segments, day)}>
          {employment.isError && <Failure error={employment.error} />}
          {employment.isSuccess && <TermsList title={termsTitle(segments, day)} employment={employment.data.data} />}
        </Section>
        <PlannedChanges personId={personId} segments={segments} day={day} />
        <TimeOff personId={personId} />
        <Personal personId={personId} />
        <CustomFields personId={personId} />
        <Documents personId={personId} />
        <PayrollMarkers personId={personId} />
      </SimpleGrid>
    </Page>
  );
}

/** The picture, with the way to change it. */
function Picture({
  personId,
  name,
  src,
}: {
  readonly personId: string;
  readonly name: string;
  readonly src: string | null;
}) {
  const { t } = useTranslation('person');
  const mayWrite = useMay('people:avatar:read', 'people:write');
  const [{ edit }, change] = useAddress<{ edit?: string }>();
  const picture = <PersonPicture name={name} src={src} size={36} />;
  if (!mayWrite) return picture;
  return (
    <>
      {picture}
      <ActionIcon
        variant="subtle"
        size="sm"
        aria-label={t('picture.change')}
        title={t('picture.change')}
        onClick={() => change({ edit: 'picture' }, { push: true })}
      >
        <IconCamera size={16} aria-hidden />
      </ActionIcon>
      {edit === 'picture' && <EditPicture {...{ personId, name, src }} onClose={() => change({ edit: undefined })} />}
    </>
  );
}

function TermsList({ title, employment }: { readonly title: string; readonly employment: Employment }) {
  const { t } = useTranslation('person');
  const manager =
    employment.manager === null ? null : (
      <ScreenLink to={`/people/${employment.manager.id}`} size="sm">
        {employment.manager.display_name}
      </ScreenLink>
    );
  const terms = TERMS.map(
    (field) => [fieldText(field), field === 'manager' ? manager : valueText(field, employment[field])] as const,
  );
  const since = employment.effective_from === null ? null : shortDayText(employment.effective_from);
  return <Definitions label={title} rows={[...terms, [t('terms.fte'), employment.fte], [t('terms.since'), since]]} />;
}

/** Recorded facts of future days. */
function PlannedChanges({
  personId,
  segments,
  day,
}: {
  readonly personId: string;
  readonly segments: readonly Schemas['SegmentResponse'][];
  readonly day: string;
}) {
  const { t } = useTranslation(['person', 'common']);
  const [{ withdraw }, change] = useAddress<{ form?: string; fact?: string; withdraw?: string }>();
  const mayWrite = useMay('people:write');
  const planned = plannedAfter(segments, day);
  if (planned.length === 0) return null;
  const withdrawn = planned.find(({ factId, isFirst }) => factId === withdraw && !isFirst);
  const close = (): void => change({ withdraw: undefined });
  return (
    <Section title={t('planned.title')}>
      <Stack gap="xs">
        {planned.map(({ factId, isFirst, from, changes }) => (
          <div key={from}>
            <Text size="sm" fw={600}>
              {t('planned.from', { day: shortDayText(from) })}
            </Text>
            <Table verticalSpacing={2} aria-label={t('planned.from', { day: shortDayText(from) })}>
              <Table.Tbody>
                {changes.map(({ what, before, after }) => (
                  <Table.Tr key={what}>
                    <Table.Th scope="row" fw={400} c="dimmed" w="40%">
                      {what}
                    </Table.Th>
                    <Table.Td>
                      {after} <del>{before}</del>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
            {mayWrite && (
              <Group gap="xs" mt={4}>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('planned.changeNamed', { what: t('planned.from', { day: shortDayText(from) }) })}
                  onClick={() => change({ form: 'correct', fact: factId }, { push: true })}
                >
                  {t('planned.change')}
                </Button>
                {!isFirst && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('common:withdraw.named', { what: t('planned.from', { day: shortDayText(from) }) })}
                    onClick={() => change({ withdraw: factId }, { push: true })}
                  >
                    {t('planned.withdraw')}
                  </Button>
                )}
              </Group>
            )}
          </div>
        ))}
      </Stack>
      {mayWrite && withdrawn !== undefined && (
        <WithdrawFact
          personId={personId}
          factId={withdrawn.factId}
          what={t('planned.from', { day: shortDayText(withdrawn.from) })}
          day={withdrawn.from}
          onDone={(message) => {
            notifications.show({ message, color: 'teal' });
            close();
          }}
          onCancel={close}
        />
      )}
    </Section>
  );
}

interface ActionsProperties {
  readonly personId: string;
  readonly person: Answer<{ readonly data: Person }>;
  readonly history: History;
}

const FORMS = ['change', 'correct', 'end', 'rehire'] as const;

/** Actions for the person; the open form is in the address. */
function Actions({ personId, person, history }: ActionsProperties) {
  const { t } = useTranslation('person');
  const [{ form, fact }, change] = useAddress<{ form?: string; fact?: string }>();
  const close = (): void => change({ form: undefined, fact: undefined });
  const showUndo = useUndoOfFact(personId);
  const done = (message: string, recorded?: JustRecorded): void => {
    if (recorded === undefined) notifications.show({ message, color: 'teal' });
    else void showUndo(message, recorded);
    close();
  };
  const common = { personId, onDone: done, onCancel: close };
  const offered = FORMS.filter((name) => isOffered(name, person.data, history.data.segments ?? []));
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button rightSection={<IconChevronDown size={16} aria-hidden />}>{t('record')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map((name) => (
            <Menu.Item key={name} onClick={() => change({ form: name }, { push: true })}>
              {t(`forms.${name}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {form === 'change' && <ChangeTerms {...common} answer={history} />}
      {form === 'correct' && <CorrectHistory {...common} answer={history} factId={fact} />}
      {form === 'end' && <EndEmployment {...common} answer={person} />}
      {form === 'rehire' && <Rehire {...common} answer={person} />}
    </>
  );
}

/**
 * Actions that are possible today: a rehire only from the day after the final day, and no changes of a past
 * period.
 */
function isOffered(
  name: (typeof FORMS)[number],
  { status, end_date: finalDay }: Person,
  segments: readonly Schemas['SegmentResponse'][],
): boolean {
  const isEnded = status !== 'active';
  const isOver = isEnded && (finalDay === null || finalDay < today());
  switch (name) {
    case 'change':
      return !isOver;
    case 'end':
      return !isEnded;
    case 'rehire':
      return isOver && segmentOn(segments, today())?.employed !== true;
    default:
      return true;
  }
}

function Personal({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('person');
  const may = useMay('people:personal:read');
  const mayWrite = useMay('people:personal:read', 'people:write');
  const query = useQuery({
    queryKey: ['people', personId, 'personal'],
    queryFn: () => answerOf(client.GET('/people/{personId}/personal', { params: { path: { personId } } })),
    enabled: may,
  });
  if (!may) return null;
  const profile = query.data?.data;
  return (
    <Section
      title={t('personal.title')}
      edit={
        mayWrite && profile !== undefined
          ? { name: 'personal', form: (close) => <EditProfile personId={personId} onClose={close} /> }
          : undefined
      }
    >
      <Reading of={t('personal.reading')} query={query} />
      {profile !== undefined && (
        <Definitions
          label={t('personal.title')}
          rows={[
            ...Object.entries(PROFILE_TEXTS).map(
              ([name, key]) =>
                [t(`personal.${key}`), profileText(profile, name as keyof typeof PROFILE_TEXTS)] as const,
            ),
            [t('personal.address'), addressText(profile.home_address)],
          ]}
        />
      )}
    </Section>
  );
}

function profileText(profile: Schemas['PersonalProfileResponse'], name: keyof typeof PROFILE_TEXTS): string | null {
  const value = profile[name];
  return name === 'date_of_birth' && value !== null ? shortDayText(value) : value;
}

function addressText(address: Schemas['PersonalProfileResponse']['home_address']): string | null {
  if (address === null) return null;
  const { address_line_1, address_line_2, address_line_3, city, region_state, postal_code, country } = address;
  return [address_line_1, address_line_2, address_line_3, city, region_state, postal_code, country.name]
    .filter(Boolean)
    .join(', ');
}

function TimeOff({ personId }: { readonly personId: string }) {
  const { t } = useTranslation(['person', 'common']);
  const { t: time } = useTranslation('time-off');
  const may = useMay('time_off:read');
  const query = useQuery({
    queryKey: ['people', personId, 'time-off'],
    queryFn: async () => {
      const [balance, records] = await Promise.all([
        orNull(answerOf(client.GET('/people/{personId}/time-off-balance', { params: { path: { personId } } }))),
        answerOf(
          client.GET('/time-off', { params: { query: { person_id: personId, limit: 10, sort: 'updated_at_desc' } } }),
        ),
      ]);
      return { balances: balance?.data.balances ?? [], records: records.data };
    },
    enabled: may,
  });
  if (!may) return null;
  const { balances, records } = query.data ?? { balances: [], records: [] };
  return (
    <Section title={t('timeOff.title')}>
      <Reading of={t('timeOff.reading')} query={query} />
      {query.isSuccess && (
        <Stack gap="sm">
          {balances.length > 0 && (
            <Table.ScrollContainer minWidth={270}>
              <Table verticalSpacing={4} horizontalSpacing={4} aria-label={t('timeOff.balances')}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('timeOff.category')}</Table.Th>
                    <Table.Th ta="right">{t('timeOff.taken')}</Table.Th>
                    <Table.Th ta="right">{t('timeOff.pending')}</Table.Th>
                    <Table.Th ta="right">{t('timeOff.available')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {balances.map((row) => (
                    <Table.Tr key={row.category.id}>
                      <Table.Td>{row.category.label}</Table.Td>
                      <Table.Td ta="right">{amountText(row, 'taken')}</Table.Td>
                      <Table.Td ta="right">{amountText(row, 'pending')}</Table.Td>
                      <Table.Td ta="right">{amountText(row, 'available')}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
          <ScreenLink to={`/people/${personId}/balance`} size="sm">
            {t('common:balanceWhy')}
          </ScreenLink>
          {records.length === 0 && <Empty title={t('timeOff.none')} />}
          {records.length > 0 && (
            <Definitions
              label={t('timeOff.latest')}
              rows={records.map((record) => [
                spanText(record),
                t('timeOff.record', {
                  category: record.category.label,
                  status: time(`statuses.${record.status_code}`),
                  time: dateTimeFormat(record.created_at),
                }),
              ])}
            />
          )}
        </Stack>
      )}
    </Section>
  );
}

/** Null for 404: a person without a picture or a profile is not a failure. */
async function orNull<Read>(reading: Promise<Read>): Promise<Read | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof WorkforceError && error.status === 404) return null;
    throw error;
  }
}
