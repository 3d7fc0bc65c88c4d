import { Badge, Button, Group, Slider, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { type ReactNode, useEffect, useState } from 'react';
import i18next from 'i18next';
import { Trans, useTranslation } from 'react-i18next';
import { numberText } from '../../data/locale.js';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { dayText, dateTimeFormat, plusDays, today } from '../../data/days.js';
import { readFromConsole, seesByRelation, useSession } from '../../data/session.js';
import { usePages } from '../../data/use-pages.js';
import { mayOpen } from '../../screen.js';
import { AsOfFields } from '../../ui/as-of-fields.js';
import { Page } from '../../ui/page.js';
import { PersonPicture } from '../../ui/person-picture.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { Empty, Reading } from '../../ui/states.js';
import { settings } from '../settings/screen.js';
import classes from './org-chart.module.css';

type Unit = Schemas['OrgUnitInTree'];
/** The response of `/console/head-count` for a day. */
interface HeadCount {
  readonly employed: number;
  readonly without_unit: number;
}

type State = { as_of?: string; known_at?: string; open?: string };

/** The range of the slider, in days. */
const DAYS_BACK = 5 * 365;
const PAGE_SIZE = 200;
/** The address's name for people without a unit. */
const NO_UNIT = 'none';

/** The org units as a tree, with the people of a day. */
export function OrgChart() {
  const { t } = useTranslation('org-chart');
  const [state, change] = useAddress<State>();
  const asOf =
    state.as_of === undefined
      ? {}
      : { as_of: state.as_of, ...(state.known_at === undefined ? {} : { known_at: state.known_at }) };
  const tree = useQuery({
    queryKey: ['org-units', 'tree', asOf],
    queryFn: () => answerOf(client.GET('/org-units/tree', { params: { query: asOf } })),
    placeholderData: keepPreviousData,
  });
  const units = tree.data?.data ?? [];
  const ids = new Set(units.map(({ id }) => id));
  const tops = units.filter(({ parent_id: parent }) => parent === null || !ids.has(parent));
  const day = state.as_of ?? today();
  const counted = { as_of: day, ...(state.known_at === undefined ? {} : { known_at: state.known_at }) };
  const count = useQuery({
    queryKey: ['people', 'head-count', counted],
    queryFn: () => readFromConsole<HeadCount>(`/console/head-count?${new URLSearchParams(counted).toString()}`),
    placeholderData: keepPreviousData,
  });
  const withoutUnit = count.data?.without_unit ?? 0;
  const session = useSession();
  const empty = seesByRelation(session) ? 'nothingInSight' : 'noUnits';
  const open = new Set((state.open ?? '').split(' ').filter((id) => id !== ''));
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    change({ open: [...next].join(' ') || undefined });
  };
  return (
    <Page title={t('title')} note={count.data === undefined ? undefined : noteOf(state, count.data.employed)}>
      <Group align="flex-end" gap="lg">
        <AsOfFields day={state.as_of} moment={state.known_at} onChange={change} />
        <DaySlider day={day} onChange={(chosen) => change({ as_of: chosen === today() ? undefined : chosen })} />
      </Group>
      <Reading of={t('chart')} query={tree} />
      {tree.isSuccess && units.length === 0 && withoutUnit === 0 && (
        <Empty title={t(`${empty}.title`)}>
          {t(`${empty}.hint`)}{' '}
          {mayOpen(session, settings) && <ScreenLink to="/settings/org-units">{t('noUnits.add')}</ScreenLink>}
        </Empty>
      )}
      <ul className={classes.tree} aria-label={t('units')}>
        {tops.map((unit) => (
          <UnitItem key={unit.id} unit={unit} units={units} asOf={asOf} open={open} onToggle={toggle} />
        ))}
        {withoutUnit > 0 && (
          <li>
            <UnitHead
              name={t('withoutUnit')}
              isOpen={open.has(NO_UNIT)}
              count={numberText(withoutUnit)}
              onToggle={() => toggle(NO_UNIT)}
            />
            {open.has(NO_UNIT) && <PeopleOf unitId={null} asOf={asOf} />}
          </li>
        )}
      </ul>
    </Page>
  );
}

interface UnitItemProperties {
  readonly unit: Unit;
  readonly units: readonly Unit[];
  readonly asOf: { readonly as_of?: string; readonly known_at?: string };
  /** The ids of units whose people are shown. */
  readonly open: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
}

function UnitItem({ unit, units, asOf, open, onToggle }: UnitItemProperties) {
  const { t } = useTranslation('org-chart');
  const below = units.filter(({ parent_id: parent }) => parent === unit.id);
  const isOpen = open.has(unit.id);
  const { head_count: own, total_head_count: total } = unit;
  return (
    <li>
      <UnitHead
        name={unit.name}
        isOpen={isOpen}
        count={total === own ? numberText(own) : t('ownOfTotal', { own: numberText(own), total: numberText(total) })}
        onToggle={() => onToggle(unit.id)}
      >
        {unit.head !== null && (
          <Text size="sm" c="dimmed" className={classes.head!}>
            <Trans
              t={t}
              i18nKey="ledBy"
              values={{ name: unit.head.display_name }}
              components={[<PersonName key="head" person={unit.head} />]}
            />
          </Text>
        )}
        {unit.is_archived && <Badge variant="default">{t('archived')}</Badge>}
      </UnitHead>
      {isOpen && <PeopleOf unitId={unit.id} asOf={asOf} />}
      {below.length > 0 && (
        <ul className={classes.tree}>
          {below.map((one) => (
            <UnitItem key={one.id} unit={one} units={units} asOf={asOf} open={open} onToggle={onToggle} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The name of a person; it leads to their page, which the roles that see people by relation do not have. */
function PersonName({ person: { id, display_name: name } }: { readonly person: NonNullable<Unit['head']> }) {
  if (seesByRelation(useSession())) return name;
  return (
    <ScreenLink to={`/people/${id}`} inherit>
      {name}
    </ScreenLink>
  );
}

interface UnitHeadProperties {
  readonly name: string;
  /** Whether its people are shown. */
  readonly isOpen: boolean;
  readonly count: string;
  readonly onToggle: () => void;
  readonly children?: ReactNode;
}

function UnitHead({ name, isOpen, count, onToggle, children }: UnitHeadProperties) {
  const Arrow = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Group gap="xs" className={classes.unit!}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        aria-expanded={isOpen}
        leftSection={<Arrow size={16} aria-hidden />}
        onClick={onToggle}
        className={classes.name!}
      >
        {name}
      </Button>
      <Badge variant="default" className={classes.count!}>
        {count}
      </Badge>
      {children}
    </Group>
  );
}

interface PeopleOfProperties {
  /** Null for people without a unit. */
  readonly unitId: string | null;
  readonly asOf: UnitItemProperties['asOf'];
}

/** The people of a unit on a day, page by page. */
function PeopleOf({ unitId, asOf }: PeopleOfProperties) {
  const { t } = useTranslation('org-chart');
  const query = {
    ...(unitId === null ? { without_department: true } : { department_id: unitId }),
    as_of: asOf.as_of ?? today(),
    ...(asOf.known_at === undefined ? {} : { known_at: asOf.known_at }),
    limit: PAGE_SIZE,
  };
  const people = usePages(
    ['people', 'of unit', query],
    (after) => answerOf(client.GET('/people', { params: { query: { ...query, ...after } } })),
    { keepsPrevious: true },
  );
  return (
    <>
      <Reading of={t('people')} query={people} />
      <ul className={classes.people}>
        {people.items.map((person) => (
          <li key={person.id}>
            <PersonPicture name={person.display_name} size={22} />
            <Text size="sm" span>
              <PersonName person={person} />
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {person.job_title}
            </Text>
          </li>
        ))}
      </ul>
      <ShowMore of={people} />
    </>
  );
}

/** Moves the day: the tree follows when the handle is released. */
function DaySlider({ day, onChange }: { readonly day: string; readonly onChange: (day: string) => void }) {
  const { t } = useTranslation('org-chart');
  const first = plusDays(today(), -DAYS_BACK);
  const place = Math.round((Date.parse(day) - Date.parse(first)) / 86_400_000);
  const [moved, setMoved] = useState(place);
  useEffect(() => setMoved(place), [place]);
  return (
    <Stack gap={4} className={classes.slider!}>
      <Text size="sm" fw={500} id="day-of-org-chart">
        {t('moveDay')}
      </Text>
      <Slider
        min={0}
        max={DAYS_BACK + 365}
        value={moved}
        onChange={setMoved}
        onChangeEnd={(value) => onChange(plusDays(first, value))}
        label={(value) => dayText(plusDays(first, value))}
        thumbLabel={t('day')}
        thumbProps={{ 'aria-valuetext': dayText(plusDays(first, moved)) }}
      />
    </Stack>
  );
}

function noteOf({ as_of: day, known_at: instant }: State, total: number): string {
  if (day === undefined) return i18next.t('org-chart:peopleToday', { count: total });
  const known =
    instant === undefined
      ? i18next.t('org-chart:asKnownNow')
      : i18next.t('org-chart:asKnownAt', { time: dateTimeFormat(instant) });
  return i18next.t('org-chart:peopleOn', { count: total, day: dayText(day), known });
}
