import { Button, Card, Group, Menu, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconChevronDown, IconHistory, IconTimeline } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Answer, answerOf, WorkforceError } from '@workforce-hr/client';
import type { ReactNode } from 'react';
import { useAddress, useParameter } from '../../data/address.js';
import { client, type Person, type Scope, type Schemas } from '../../data/client.js';
import { amountText, dateTimeFormat, shortDayText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { Page } from '../../ui/page.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Failure, Loading, Reading } from '../../ui/states.js';
import { fieldText, TERMS, valueText } from '../../data/beliefs.js';
import { type History, readHistory } from './history.js';
import { PayrollMarkers } from './payroll-markers.js';
import { plannedAfter, segmentOn, standingOn, termsTitle } from './standing.js';
import { ChangeTerms, CorrectHistory, Definitions, EditIdentity, EndEmployment, Rehire } from './forms.js';

type Employment = Schemas['EmploymentResponse'];

/** One person: their identity, their current employment, and the sections that the user's scopes open. */
export function PersonScreen() {
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
  if (person.isError) return <Failure error={person.error} onRetry={() => void person.refetch()} />;
  if (person.isPending) return <Loading of="the person" />;
  const { data } = person.data;
  const day = today();
  const segments = history.data?.data.segments ?? [];
  const standing = standingOn(data, day);
  return (
    <Page
      title={data.display_name}
      note={
        <Group gap="xs">
          <PersonPicture name={data.display_name} src={avatar.data?.data?.download_url ?? null} size={36} />
          {data.job_title}
          <StateBadge tone={standing.tone}>{standing.text}</StateBadge>
        </Group>
      }
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconTimeline size={16} aria-hidden />}
            renderRoot={(root) => <Link to={`/people/${personId}/timeline` as never} {...root} />}
          >
            Timeline
          </Button>
          {mayAudit && (
            <Button
              variant="default"
              leftSection={<IconHistory size={16} aria-hidden />}
              renderRoot={(root) => <Link to={'/audit' as never} search={{ person: personId } as never} {...root} />}
            >
              Activity
            </Button>
          )}
          {mayWrite && history.isSuccess && <Actions personId={personId} person={person.data} history={history.data} />}
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Section title="Identity">
          <Definitions
            label="Identity"
            rows={[
              ['First name', data.first_name],
              ['Preferred name', data.preferred_name],
              ['Last name', data.last_name],
              ['Work e-mail', data.work_email],
              ['Staff id', data.staff_id],
              ['First day', data.start_date === null ? 'not recorded' : shortDayText(data.start_date)],
              ['Final day', data.end_date === null ? null : shortDayText(data.end_date)],
            ]}
          />
        </Section>
        <Section title={termsTitle(segments, day)}>
          {employment.isError && <Failure error={employment.error} />}
          {employment.isSuccess && <TermsList title={termsTitle(segments, day)} employment={employment.data.data} />}
        </Section>
        <PlannedChanges segments={segments} day={day} />
        <TimeOff personId={personId} />
        <Personal personId={personId} />
        <CustomFields personId={personId} />
        <Documents personId={personId} />
        <PayrollMarkers personId={personId} />
      </SimpleGrid>
    </Page>
  );
}

function TermsList({ title, employment }: { readonly title: string; readonly employment: Employment }) {
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
  return (
    <Definitions
      label={title}
      rows={[...terms, ['Full-time equivalent', employment.fte], ['These terms since', since]]}
    />
  );
}

/** Recorded facts of future days. */
function PlannedChanges({
  segments,
  day,
}: {
  readonly segments: readonly Schemas['SegmentResponse'][];
  readonly day: string;
}) {
  const planned = plannedAfter(segments, day);
  if (planned.length === 0) return null;
  return (
    <Section title="Planned">
      <Stack gap="xs">
        {planned.map(({ from, changes }) => (
          <div key={from}>
            <Text size="sm" fw={600}>
              From {shortDayText(from)}
            </Text>
            <Table verticalSpacing={2} aria-label={`From ${shortDayText(from)}`}>
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
          </div>
        ))}
      </Stack>
    </Section>
  );
}

interface ActionsProperties {
  readonly personId: string;
  readonly person: Answer<{ readonly data: Person }>;
  readonly history: History;
}

const FORMS = {
  change: 'Change terms…',
  correct: 'Correct history…',
  identity: 'Edit identity…',
  end: 'End employment…',
  rehire: 'Rehire…',
} as const;

/** Actions for the person; the open form is in the address. */
function Actions({ personId, person, history }: ActionsProperties) {
  const [{ form }, change] = useAddress<{ form?: string }>();
  const close = (): void => change({ form: undefined });
  const done = (message: string): void => {
    notifications.show({ message, color: 'teal' });
    close();
  };
  const common = { personId, onDone: done, onCancel: close };
  const offered = (Object.keys(FORMS) as (keyof typeof FORMS)[]).filter((name) =>
    isOffered(name, person.data, history.data.segments ?? []),
  );
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button rightSection={<IconChevronDown size={16} aria-hidden />}>Record</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map((name) => (
            <Menu.Item key={name} onClick={() => change({ form: name }, { push: true })}>
              {FORMS[name]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {form === 'change' && <ChangeTerms {...common} answer={history} />}
      {form === 'correct' && <CorrectHistory {...common} answer={history} />}
      {form === 'identity' && <EditIdentity {...common} answer={person} />}
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
  name: keyof typeof FORMS,
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

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </Card>
  );
}

interface ReadSectionProperties<Data> {
  readonly title: string;
  readonly scope: Scope;
  readonly queryKey: readonly string[];
  readonly read: () => Promise<{ readonly data: Data } | null>;
  /** The message for an empty section. */
  readonly nothing: string;
  readonly children: (data: Data) => ReactNode;
}

/** A section that needs a scope: without it, it is hidden. */
function ReadSection<Data>({ title, scope, queryKey, read, nothing, children }: ReadSectionProperties<Data>) {
  const may = useMay(scope);
  const query = useQuery({ queryKey: ['people', ...queryKey], queryFn: read, enabled: may });
  if (!may) return null;
  return (
    <Section title={title}>
      <Reading of={title.toLowerCase()} query={query} />
      {query.isSuccess && (query.data === null ? <Text c="dimmed">{nothing}</Text> : children(query.data.data))}
    </Section>
  );
}

function Personal({ personId }: { readonly personId: string }) {
  return (
    <ReadSection
      title="Personal profile"
      scope="people:personal:read"
      queryKey={[personId, 'personal']}
      read={() => orNull(answerOf(client.GET('/people/{personId}/personal', { params: { path: { personId } } })))}
      nothing="No personal profile is recorded."
    >
      {(profile) => (
        <Definitions
          label="Personal profile"
          rows={[
            ['Middle names', profile.middle_names],
            ['Date of birth', profile.date_of_birth === null ? null : shortDayText(profile.date_of_birth)],
            ['Personal e-mail', profile.personal_email],
            ['Personal phone', profile.personal_phone_number],
            ['Work phone', profile.work_phone_number],
            ['Home address', addressText(profile.home_address)],
          ]}
        />
      )}
    </ReadSection>
  );
}

function addressText(address: Schemas['PersonalProfileResponse']['home_address']): string | null {
  if (address === null) return null;
  const { address_line_1, address_line_2, address_line_3, city, region_state, postal_code, country } = address;
  return [address_line_1, address_line_2, address_line_3, city, region_state, postal_code, country.name]
    .filter(Boolean)
    .join(', ');
}

function CustomFields({ personId }: { readonly personId: string }) {
  return (
    <ReadSection
      title="Custom fields"
      scope="custom_fields:read"
      queryKey={[personId, 'custom-fields']}
      read={() => answerOf(client.GET('/people/{personId}/custom-fields', { params: { path: { personId } } }))}
      nothing="None."
    >
      {({ values }) =>
        values.length === 0 ? (
          <Text c="dimmed">The organisation has no custom fields.</Text>
        ) : (
          <Definitions
            label="Custom fields"
            rows={values.map(({ key, value }) => [key, value === null ? null : String(value)])}
          />
        )
      }
    </ReadSection>
  );
}

function Documents({ personId }: { readonly personId: string }) {
  return (
    <ReadSection
      title="Documents"
      scope="documents:read"
      queryKey={[personId, 'documents']}
      read={() => answerOf(client.GET('/documents', { params: { query: { person_id: personId, limit: 100 } } }))}
      nothing="None."
    >
      {(documents) =>
        documents.length === 0 ? (
          <Text c="dimmed">None.</Text>
        ) : (
          <Definitions
            label="Documents"
            rows={documents.map(({ name, document_type: type, expires_on: expires }) => [
              name,
              `${type.label}${expires === null ? '' : `, expires ${shortDayText(expires)}`}`,
            ])}
          />
        )
      }
    </ReadSection>
  );
}

function TimeOff({ personId }: { readonly personId: string }) {
  return (
    <ReadSection
      title="Time off"
      scope="time_off:read"
      queryKey={[personId, 'time-off']}
      read={async () => {
        const [balance, records] = await Promise.all([
          orNull(answerOf(client.GET('/people/{personId}/time-off-balance', { params: { path: { personId } } }))),
          answerOf(
            client.GET('/time-off', { params: { query: { person_id: personId, limit: 10, sort: 'updated_at_desc' } } }),
          ),
        ]);
        return { data: { balances: balance?.data.balances ?? [], records: records.data } };
      }}
      nothing="None."
    >
      {({ balances, records }) => (
        <Stack gap="sm">
          {balances.length > 0 && (
            <Table verticalSpacing={4} aria-label="Balances">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Category</Table.Th>
                  <Table.Th ta="right">Taken</Table.Th>
                  <Table.Th ta="right">Pending</Table.Th>
                  <Table.Th ta="right">Available</Table.Th>
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
          )}
          {records.length === 0 && <Empty title="No time off is recorded" />}
          {records.length > 0 && (
            <Definitions
              label="Latest time off"
              rows={records.map((record) => [
                `${shortDayText(record.start_date)} to ${shortDayText(record.end_date)}`,
                `${record.category.label}, ${record.status.toLowerCase()}, recorded ${dateTimeFormat(record.created_at)}`,
              ])}
            />
          )}
        </Stack>
      )}
    </ReadSection>
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
