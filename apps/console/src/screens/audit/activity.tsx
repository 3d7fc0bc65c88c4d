import { Button, Card, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat, shortDayText } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { FieldChanges } from '../../ui/field-changes.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { type AuditState, Choice, instantsFrom, PersonAndDays, messageOf } from './filters.js';

type Entry = Schemas['ActivityResponse'];

const ACTOR_TYPES: readonly Entry['actor']['type'][] = ['user', 'api_key', 'operator', 'system'];
const RESOURCES: readonly string[] = [
  'person',
  'employment',
  'personal_profile',
  'person_custom_fields',
  'document',
  'avatar',
  'time_off',
  'time_off_balance',
  'organisation',
  'location',
  'org_unit',
  'working_pattern',
  'time_off_category',
  'time_off_settings',
  'custom_field',
  'provider_mapping',
  'webhook',
  'write_proposal',
  'api_key',
  'user',
];

/** Recorded events, newest first. */
export function Activity() {
  const [state, change] = useAddress<AuditState>();
  const query = queryOf(state);
  const entries = usePages(
    ['activity', query],
    (after) => answerOf(client.GET('/activity', { params: { query: { ...query, ...after } } })),
    {
      keepsPrevious: true,
    },
  );
  const { items } = entries;
  return (
    <Stack>
      <Group align="flex-end" gap="sm">
        <PersonAndDays />
        <Choice label="Recorded by" name="by" options={ACTOR_TYPES} />
        <Choice label="Resource" name="resource" options={RESOURCES} />
        <Actor key={state.actor ?? ''} />
        <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
      {state.type !== undefined && (
        <Group gap="xs">
          <Text size="sm">
            Only <Code>{state.type}</Code>
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => change({ type: undefined })}>
            All types
          </Button>
        </Group>
      )}
      <Reading of="what happened" query={entries} />
      {entries.isSuccess && items.length === 0 && (
        <Empty title="Nothing was recorded">
          Remove filters or choose other days. New events appear after a second.
        </Empty>
      )}
      <Stack gap="xs" component="ol" style={{ listStyle: 'none', padding: 0, margin: 0 }} aria-label="What happened">
        {items.map((entry) => (
          <EntryCard key={entry.id} entry={entry} onType={() => change({ type: entry.type })} />
        ))}
      </Stack>
      <ShowMore of={entries} />
    </Stack>
  );
}

/** The id of a key, a user or an operator; typed text is searched for when it is complete. */
function Actor() {
  const [state, change] = useAddress<AuditState>();
  const [typed, setTyped] = useState(state.actor ?? '');
  const search = (): void => change({ actor: typed.trim() });
  return (
    <TextInput
      label="Id of who recorded it"
      placeholder="Any"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={search}
      onKeyDown={({ key }) => key === 'Enter' && search()}
    />
  );
}

interface EntryCardProperties {
  readonly entry: Entry;
  readonly onType: () => void;
}

function EntryCard({ entry, onType }: EntryCardProperties) {
  const title = `${eventText(entry.type)} · ${messageOf(entry.resource.type)}`;
  return (
    <Card withBorder component="li" padding="sm" aria-label={title}>
      <Group justify="space-between" align="flex-start" wrap="wrap" gap="xs">
        <div>
          <Group gap="xs">
            <Title order={2} size="h5">
              {eventText(entry.type)}
            </Title>
            {entry.supersedes !== null && <StateBadge tone="watch">corrects</StateBadge>}
            <Subject of={entry} />
          </Group>
          <Text size="xs" c="dimmed">
            {dateTimeFormat(entry.recorded_at)}, by <ActorText of={entry.actor} />
            {entry.approved_by !== null && (
              <>
                , approved by <ActorText of={entry.approved_by} />
              </>
            )}
            {entry.effective_date !== null && `, with effect on ${shortDayText(entry.effective_date)}`}
          </Text>
        </div>
        <Button size="compact-xs" variant="subtle" onClick={onType} aria-label={`Only ${entry.type}`}>
          {entry.type}
        </Button>
      </Group>
      {entry.reason !== null && <Text size="sm">Reason: {entry.reason}</Text>}
      {entry.is_hidden && (
        <Text size="sm" c="dimmed">
          Your role does not let you see these values.
        </Text>
      )}
      {entry.changes.length > 0 && <FieldChanges changes={entry.changes} />}
      <References of={entry} />
    </Card>
  );
}

function Subject({ of: { person, resource } }: { readonly of: Entry }) {
  const mayRead = useMay('people:read');
  if (person === null) return <Text size="sm">{messageOf(resource.type)}</Text>;
  const name = person.display_name ?? person.id;
  if (!mayRead) return <Code>{name}</Code>;
  return (
    <ScreenLink to={`/people/${person.id}`} size="sm">
      {name}
    </ScreenLink>
  );
}

function ActorText({ of: { type, id, name } }: { readonly of: Entry['actor'] }) {
  return (
    <>
      {type === 'api_key'
        ? 'the key'
        : type === 'user'
          ? 'the user'
          : type === 'operator'
            ? 'the operator'
            : 'the service:'}{' '}
      {name ?? <Code>{id}</Code>}
    </>
  );
}

function References({ of: { resource, request_id: request, supersedes } }: { readonly of: Entry }) {
  const mayRead = useMay('requests:read');
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {messageOf(resource.type)} <Code>{resource.id}</Code>
      {supersedes !== null && (
        <>
          , instead of <Code>{supersedes}</Code>
        </>
      )}
      {request !== null && (
        <>
          , request{' '}
          {mayRead ? (
            <ScreenLink to="/requests" search={{ id: request }} size="xs" underline="always">
              {request}
            </ScreenLink>
          ) : (
            <Code>{request}</Code>
          )}
        </>
      )}
    </Text>
  );
}

/** The type of an event in words: `EmploymentCorrected` is "Employment corrected". */
function eventText(type: string): string {
  const words = type.replaceAll(/(?<=[a-z])([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function queryOf(state: AuditState) {
  const by = ACTOR_TYPES.find((type) => type === state.by);
  const resource = RESOURCES.find((type) => type === state.resource);
  return {
    ...instantsFrom(state),
    ...(state.person === undefined ? {} : { person_id: state.person }),
    ...(state.actor === undefined ? {} : { actor_id: state.actor }),
    ...(state.type === undefined ? {} : { type: state.type }),
    ...(by === undefined ? {} : { actor_type: by }),
    ...(resource === undefined ? {} : { resource_type: resource }),
  };
}
