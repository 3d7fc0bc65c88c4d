import { Group, Skeleton, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { memo, useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Person } from '../../data/client.js';
import { dayIn, shortDayText } from '../../data/days.js';
import { useSession } from '../../data/session.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { StateBadge } from '../../ui/state-badge.js';
import { standingOn } from '../person/standing.js';
import classes from './directory.module.css';
import { moveFocus, stepOf } from './move-focus.js';
import { type DirectoryState, type Sort, sortOf } from './query.js';
import { type PeopleList, useRows } from './use-rows.js';

const ROW_HEIGHT = 52;
/** The widths of the columns that sort; the others share the rest. */
const WIDTHS = { name: '25%', start_date: 116, updated_at_desc: 136 } as const satisfies Record<Sort, string | number>;
/** The most people that one change takes. */
const MAX_SELECTED = 200;

interface PeopleTableProperties extends PeopleList {
  readonly state: DirectoryState;
  readonly onSort: (sort: Sort) => void;
  /** The chosen people by id; null if none can be chosen. */
  readonly selected: ReadonlyMap<string, Person> | null;
  readonly onSelect: (selected: ReadonlyMap<string, Person>) => void;
}

/** The people as a table, of which the page holds only the rows in sight. */
export function PeopleTable({ state, onSort, selected, onSelect, ...list }: PeopleTableProperties) {
  const { t } = useTranslation('directory');
  const { rows, total, pictures, day } = list;
  const { container, virtual } = useRows<HTMLTableSectionElement>(list, ROW_HEIGHT);
  const zone = useSession().organisation.time_zone;
  const latest = useRef({ selected, onSelect });
  useEffect(() => {
    latest.current = { selected, onSelect };
  });
  const toggle = useCallback((person: Person) => {
    const { selected: former, onSelect: select } = latest.current;
    if (former !== null) select(toggled(former, person));
  }, []);
  const items = virtual.getVirtualItems();
  const margin = virtual.options.scrollMargin;
  const [above, below] =
    items.length === 0 ? [0, 0] : [items[0]!.start - margin, virtual.getTotalSize() - (items.at(-1)!.end - margin)];
  const sort = state.as_of === undefined ? sortOf(state) : null;
  const head = (label: string, by: Sort, direction: 'ascending' | 'descending') => (
    <SortHead
      key={by}
      width={WIDTHS[by]}
      isWide={by === 'updated_at_desc'}
      label={label}
      direction={sort === by ? direction : null}
      onSort={sort === null ? null : () => onSort(by)}
    />
  );
  const isAll = selected !== null && rows.length > 0 && rows.slice(0, MAX_SELECTED).every(({ id }) => selected.has(id));
  return (
    <Table
      verticalSpacing={0}
      layout="fixed"
      stickyHeader
      stickyHeaderOffset={48}
      aria-label={t('title')}
      aria-rowcount={total + 1}
      className={classes.table!}
    >
      <Table.Thead>
        <Table.Tr aria-rowindex={1}>
          {selected !== null && (
            <Table.Th w={36}>
              <input
                ref={(field) => {
                  if (field !== null) field.indeterminate = !isAll && selected.size > 0;
                }}
                type="checkbox"
                className={classes.check}
                aria-label={t('selectAll')}
                checked={isAll}
                onChange={() => onSelect(new Map(isAll ? [] : rows.slice(0, MAX_SELECTED).map((row) => [row.id, row])))}
              />
            </Table.Th>
          )}
          {head(t('name'), 'name', 'ascending')}
          <Table.Th>{t('jobTitle')}</Table.Th>
          <Table.Th>{t('department')}</Table.Th>
          <Table.Th visibleFrom="md">{t('manager')}</Table.Th>
          <Table.Th visibleFrom="lg">{t('workPlace')}</Table.Th>
          {head(t('since'), 'start_date', 'ascending')}
          {head(t('lastChange'), 'updated_at_desc', 'descending')}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={container} onKeyDown={(event) => moveFocus(event, stepOf(event))}>
        <Spacer height={above} />
        {items.map(({ index }) => {
          const person = rows[index];
          return person === undefined ? (
            <Unread key={index} index={index} />
          ) : (
            <Row
              key={person.id}
              index={index}
              person={person}
              picture={pictures.get(person.id)}
              day={day}
              zone={zone}
              isSelected={selected?.has(person.id) ?? null}
              isFull={selected !== null && selected.size >= MAX_SELECTED}
              onToggle={toggle}
              t={t}
            />
          );
        })}
        <Spacer height={below} />
      </Table.Tbody>
    </Table>
  );
}

function toggled(selected: ReadonlyMap<string, Person>, person: Person): ReadonlyMap<string, Person> {
  const next = new Map(selected);
  if (!next.delete(person.id)) next.set(person.id, person);
  return next;
}

interface SortHeadProperties {
  readonly label: string;
  readonly width: string | number;
  /** Whether only wide screens show it. */
  readonly isWide: boolean;
  /** Null if the list has another order. */
  readonly direction: 'ascending' | 'descending' | null;
  /** Null if the list has one order. */
  readonly onSort: (() => void) | null;
}

function SortHead({ label, width, isWide, direction, onSort }: SortHeadProperties) {
  const Icon = direction === null ? IconArrowsSort : direction === 'ascending' ? IconArrowUp : IconArrowDown;
  return (
    <Table.Th
      w={width}
      {...(isWide ? { visibleFrom: 'lg' } : {})}
      {...(direction === null ? {} : { 'aria-sort': direction })}
    >
      {onSort === null ? (
        label
      ) : (
        <UnstyledButton onClick={onSort} fz="inherit" fw="inherit">
          <Group gap={4} wrap="nowrap">
            {label}
            <Icon size={14} aria-hidden />
          </Group>
        </UnstyledButton>
      )}
    </Table.Th>
  );
}

const Spacer = ({ height }: { readonly height: number }) =>
  height > 0 && (
    <tr aria-hidden>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );

/** A row whose page is not read yet. */
function Unread({ index }: { readonly index: number }) {
  return (
    <Table.Tr aria-rowindex={index + 2} h={ROW_HEIGHT}>
      <Table.Td colSpan={8}>
        <Skeleton height={16} width={240} />
      </Table.Td>
    </Table.Tr>
  );
}

interface RowProperties {
  /** Its place in the list, from 0. */
  readonly index: number;
  readonly person: Person;
  /** A link to the picture. */
  readonly picture: string | undefined;
  /** The day of the row. */
  readonly day: string;
  /** The time zone of the organisation. */
  readonly zone: string;
  /** Null if no people can be chosen. */
  readonly isSelected: boolean | null;
  /** Whether no more people can be chosen. */
  readonly isFull: boolean;
  /** The same function in every rendering, so that a row is rendered only when its own values change. */
  readonly onToggle: (person: Person) => void;
  readonly t: ReturnType<typeof useTranslation<'directory'>>['t'];
}

/** Of plain elements: components would cost most of the time in which a window scrolls, or a search shows others. */
const Row = memo(function Row({ index, person, picture, day, zone, isSelected, isFull, onToggle, t }: RowProperties) {
  const standing = standingOn(person, day);
  return (
    <tr aria-rowindex={index + 2} className={classes.row} style={{ height: ROW_HEIGHT }}>
      {isSelected !== null && (
        <td>
          <input
            type="checkbox"
            className={classes.check}
            aria-label={t('select', { name: person.display_name })}
            checked={isSelected}
            disabled={!isSelected && isFull}
            onChange={() => onToggle(person)}
          />
        </td>
      )}
      <td>
        <div className={classes.person}>
          <PersonPicture name={person.display_name} src={picture} />
          <div className={classes.cell}>
            <Link to={`/people/${person.id}` as never} className={classes.name} title={person.id} data-row>
              {person.display_name}
            </Link>
            {standing.tone === 'good' ? (
              <div className={classes.email} title={person.work_email ?? ''}>
                {person.work_email}
              </div>
            ) : (
              <StateBadge tone={standing.tone}>{standing.text}</StateBadge>
            )}
          </div>
        </div>
      </td>
      <Cell text={person.job_title} />
      <Cell text={person.department?.name} />
      <Cell text={person.manager?.display_name} visibleFrom="md" />
      <Cell text={person.work_place?.label} visibleFrom="lg" />
      <Cell text={person.start_date === null ? null : shortDayText(person.start_date)} />
      <Cell text={shortDayText(dayIn(zone, new Date(person.updated_at)))} visibleFrom="lg" />
    </tr>
  );
});

function Cell({ text, visibleFrom }: { readonly text: string | null | undefined; readonly visibleFrom?: 'md' | 'lg' }) {
  return (
    <td {...(visibleFrom === undefined ? {} : { className: `mantine-visible-from-${visibleFrom}` })}>
      <div className={classes.text} title={text ?? ''}>
        {text}
      </div>
    </td>
  );
}
