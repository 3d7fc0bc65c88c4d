import { Button, Group, Select, Switch, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { IconSearch, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answerOf } from '@workforce-hr/client';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useAddress } from '../../data/address.js';
import { client, type Person } from '../../data/client.js';
import { dayText, dateTimeFormat, shortDayText, today } from '../../data/days.js';
import { useMay } from '../../data/session.js';
import { AsOfFields } from '../../ui/as-of-fields.js';
import { Page } from '../../ui/page.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { standingOn } from '../person/standing.js';
import { usePages } from '../../data/use-pages.js';
import { usePictures } from '../../data/use-pictures.js';
import { ShowMore } from '../../ui/show-more.js';

type State = {
  q?: string;
  status?: string;
  department?: string;
  units?: string;
  place?: string;
  manager?: string;
  sort?: string;
  as_of?: string;
  known_at?: string;
};

const PAGE_SIZE = 100;
const PAUSE_AFTER_TYPING = 120;

/** All current and former people: searched by name, filtered, and as of any day as known at any time. */
export function Directory() {
  const [state, change] = useAddress<State>();
  const [typed, setTyped] = useState(state.q ?? '');
  const [q] = useDebouncedValue(typed.trim(), PAUSE_AFTER_TYPING);
  const search = useRef<HTMLInputElement>(null);
  const mayHire = useMay('people:write');
  useHotkeys([['/', () => search.current?.focus()]]);
  useEffect(() => {
    if (q !== (state.q ?? '')) change({ q: q === '' ? undefined : q });
  }, [q, state.q, change]);
  const query = queryOf({ ...state, ...(q === '' ? {} : { q }) });
  const people = usePages(
    ['people', 'directory', query],
    (after) => answerOf(client.GET('/people', { params: { query: { ...query, limit: PAGE_SIZE, ...after } } })),
    { keepsPrevious: true },
  );
  const { items: rows } = people;
  const pictures = usePictures(rows.map(({ id }) => id));
  return (
    <Page
      title="Directory"
      note={people.data === undefined ? undefined : noteOf(state, rows.length, people.hasNextPage)}
      actions={
        mayHire && (
          <Button
            leftSection={<IconUserPlus size={16} aria-hidden />}
            renderRoot={(root) => <Link to={'/people/new' as never} {...root} />}
          >
            Hire
          </Button>
        )
      }
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          ref={search}
          type="search"
          label="Search"
          placeholder="Name, address, staff id"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={<kbd aria-hidden>/</kbd>}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => event.key === 'ArrowDown' && moveFocus(event, 1)}
          w={{ base: '100%', xs: 260 }}
        />
        <Filters state={state} change={change} />
        <AsOfFields
          day={state.as_of}
          moment={state.known_at}
          onChange={(asOf) =>
            change({ ...asOf, ...(asOf.as_of === undefined ? {} : { status: undefined, sort: undefined }) })
          }
        />
      </Group>
      <Reading of="people" query={people} />
      {people.isSuccess && rows.length === 0 && (
        <NoPeople isFiltered={Object.keys(query).some((name) => name !== 'sort')} />
      )}
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={680}>
          <Table highlightOnHover verticalSpacing={6} aria-label="People">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Job title</Table.Th>
                <Table.Th>Department</Table.Th>
                <Table.Th>Manager</Table.Th>
                <Table.Th>Work place</Table.Th>
                <Table.Th>Since</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody
              onKeyDown={(event) => moveFocus(event, event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0)}
            >
              {rows.map((person) => (
                <Row key={person.id} person={person} picture={pictures.get(person.id)} day={state.as_of ?? today()} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Group justify="center">
        <ShowMore of={people} />
      </Group>
    </Page>
  );
}

function NoPeople({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No people match">Remove filters, or type the beginning of a name.</Empty>;
  return (
    <Empty title="No people yet">
      Hire the first person, or import many at once with <code>workforce import people</code>.
    </Empty>
  );
}

interface FiltersProperties {
  readonly state: State;
  readonly change: (change: { [Name in keyof State]?: State[Name] | undefined }) => void;
}

function Filters({ state, change }: FiltersProperties) {
  const [mayUnits, mayPlaces] = [useMay('org_units:read'), useMay('reference:read')];
  const departments = useQuery({
    queryKey: ['org-units'],
    queryFn: () => answerOf(client.GET('/org-units')),
    enabled: mayUnits,
  });
  const places = useQuery({
    queryKey: ['work-places'],
    queryFn: () => answerOf(client.GET('/reference/work-places')),
    enabled: mayPlaces,
  });
  return (
    <>
      {mayUnits && (
        <Select
          label="Department"
          placeholder="All"
          searchable
          clearable
          data={(departments.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={state.department ?? null}
          onChange={(department) =>
            change({ department: department ?? undefined, ...(department === null ? { units: undefined } : {}) })
          }
        />
      )}
      {state.department !== undefined && (
        <Switch
          label="With units below"
          checked={state.units === 'true'}
          onChange={({ target }) => change({ units: target.checked ? 'true' : undefined })}
          pb={8}
        />
      )}
      {mayPlaces && (
        <Select
          label="Work place"
          placeholder="All"
          clearable
          data={(places.data?.data ?? []).map(({ id, label }) => ({ value: id, label }))}
          value={state.place ?? null}
          onChange={(place) => change({ place: place ?? undefined })}
        />
      )}
      {state.as_of === undefined && (
        <Select
          label="Status"
          placeholder="All"
          clearable
          data={[
            { value: 'active', label: 'Active' },
            { value: 'ended', label: 'Left or leaving' },
          ]}
          value={state.status ?? null}
          onChange={(status) => change({ status: status ?? undefined })}
          w={120}
        />
      )}
      {state.as_of === undefined && (
        <Select
          label="Sort"
          allowDeselect={false}
          data={[
            { value: 'name', label: 'Name' },
            { value: 'start_date', label: 'First day' },
            { value: 'updated_at_desc', label: 'Last change' },
          ]}
          value={state.sort ?? 'name'}
          onChange={(sort) => change({ sort: sort === 'name' ? undefined : (sort ?? undefined) })}
          w={140}
        />
      )}
    </>
  );
}

interface RowProperties {
  readonly person: Person;
  /** A link to the person. */
  readonly picture: string | undefined;
  /** The day of the row. */
  readonly day: string;
}

function Row({ person, picture, day }: RowProperties) {
  const standing = standingOn(person, day);
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <PersonPicture name={person.display_name} src={picture} />
          <div>
            <Group gap={6} wrap="nowrap">
              <ScreenLink to={`/people/${person.id}`} size="sm" fw={500} data-row>
                {person.display_name}
              </ScreenLink>
              {standing.text !== 'active' && <StateBadge tone={standing.tone}>{standing.text}</StateBadge>}
            </Group>
            <Text size="xs" c="dimmed">
              {person.work_email}
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>{person.job_title}</Table.Td>
      <Table.Td>{person.department?.name}</Table.Td>
      <Table.Td>{person.manager?.display_name}</Table.Td>
      <Table.Td>{person.work_place?.label}</Table.Td>
      <Table.Td>{person.start_date !== null && shortDayText(person.start_date)}</Table.Td>
    </Table.Tr>
  );
}

/** Moves between the people with the arrow keys, and from the search to the first of them. */
function moveFocus(event: KeyboardEvent, step: number): void {
  if (step === 0) return;
  const links = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const next = links[Math.max(0, links.indexOf(document.activeElement as HTMLElement) + step)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function queryOf({ q, status, department, units, place, manager, sort, as_of, known_at }: State) {
  return {
    ...(q === undefined ? {} : { q }),
    ...(department === undefined
      ? {}
      : { department_id: department, ...(units === 'true' ? { include_units: true } : {}) }),
    ...(place === undefined ? {} : { work_place_id: place }),
    ...(manager === undefined ? {} : { manager_id: manager }),
    ...(as_of === undefined
      ? {
          sort: sortOf(sort),
          ...(status === 'active' || status === 'ended' ? { status: status as 'active' | 'ended' } : {}),
        }
      : { as_of, ...(known_at === undefined ? {} : { known_at }) }),
  };
}

function sortOf(sort: string | undefined): 'name' | 'start_date' | 'updated_at_desc' {
  return sort === 'start_date' || sort === 'updated_at_desc' ? sort : 'name';
}

function noteOf({ as_of: day, known_at: instant }: State, count: number, isMore: boolean): string {
  const shown = `${count}${isMore ? ' or more' : ''} ${count === 1 ? 'person' : 'people'}`;
  if (day === undefined) return shown;
  const known = instant === undefined ? 'as known now' : `as known on ${dateTimeFormat(instant)}`;
  return `${shown} worked here ${day === today() ? 'today' : `on ${dayText(day)}`}, ${known}`;
}
