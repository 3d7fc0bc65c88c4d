import { Card, Group, Table, Text } from '@mantine/core';
import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { plusDays, shortDayText, today } from '../../data/days.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { daysBetween, daysOfMonth, monthText, partOn } from './month.js';
import classes from './time-off.module.css';

type PersonOut = Schemas['PersonOut'];
type Span = PersonOut['spans'][number];
type Days = readonly [from: string, to: string];

/** What the user draws with the pointer, or selects with Shift and the arrow keys, in the row of one person. */
interface Stroke {
  readonly personId: string;
  readonly from: string;
  readonly to: string;
  /** The time off that the stroke moves; null if it selects days. */
  readonly span: Span | null;
}

interface Place {
  readonly personId: string;
  readonly day: string;
}

interface MonthGridProperties {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly rows: readonly PersonOut[];
  /** The names of holidays by day. */
  readonly holidays: ReadonlyMap<string, string>;
  /** Whether names link to the screen of the person. */
  readonly hasPersonScreen: boolean;
  /** Whether days can be selected for requests. */
  readonly canRequest: boolean;
  /** Whether time off can be moved. */
  readonly canMove: boolean;
  readonly onRequest: (person: PersonOut['person'], days: Days) => void;
  /** Opens time off; with the days to which it was moved, if it was. */
  readonly onOpen: (timeOffId: string, movedTo?: Days) => void;
  /** Shown after the key of the colours. */
  readonly children?: ReactNode;
}

/**
 * The days of a month by person. A stroke over free days selects them, a stroke from time off moves it, and a
 * click opens it; the arrow keys, Shift and Enter do the same.
 */
export function MonthGrid(properties: MonthGridProperties) {
  const { month, rows, holidays, hasPersonScreen, canRequest, canMove, onRequest, onOpen, children } = properties;
  const { t } = useTranslation('time-off');
  const days = useMemo(() => daysOfMonth(month), [month]);
  const grid = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState<Place | null>(null);
  const [stroke, setStroke] = useState<Stroke | null>(null);
  // The pointer may be released before the last part of its stroke is rendered.
  const drawn = useRef<Stroke | null>(null);
  const isDrawing = useRef(false);
  const draw = (next: Stroke | null): void => {
    drawn.current = next;
    setStroke(next);
  };
  const finish = ({ personId, from, to, span }: Stroke): void => {
    draw(null);
    const shift = daysBetween(from, to);
    if (span !== null && (shift === 0 || !canMove)) onOpen(span.time_off_id);
    else if (span !== null)
      onOpen(span.time_off_id, [plusDays(span.start_date, shift), plusDays(span.end_date, shift)]);
    else if (canRequest)
      onRequest(rows.find(({ person }) => person.id === personId)!.person, from <= to ? [from, to] : [to, from]);
  };
  // The same object in every rendering, so that only rows with other content render again.
  const events = useRef<CellEvents>(null);
  useEffect(() => {
    events.current = {
      onFocus: setAt,
      onUp: (isDone) => {
        if (!isDrawing.current) return;
        isDrawing.current = false;
        if (drawn.current !== null && isDone) finish(drawn.current);
        else draw(null);
      },
      onDown: (event, place, spans) => {
        const span = spanAt(event.target, spans);
        // A finger scrolls the table: its tap is a click.
        if (event.button !== 0 || event.pointerType === 'touch' || (span === null && !canRequest)) return;
        isDrawing.current = true;
        draw({ personId: place.personId, from: place.day, to: place.day, span });
      },
      onEnter: ({ personId, day }) => {
        if (isDrawing.current && drawn.current?.personId === personId) draw({ ...drawn.current, to: day });
      },
      onTap: (target, { personId, day }, spans) =>
        finish({ personId, from: day, to: day, span: spanAt(target, spans) }),
      onKeyDown: (event, place, spans) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const selected = drawn.current?.personId === place.personId ? drawn.current : null;
        const record = recordAfter(event, spans);
        const next = placeAfter(event.key, place, rows, days);
        if (record !== null) {
          draw(null);
          focusOn(event.currentTarget, record);
        } else if (next !== null) {
          const isSelecting = event.shiftKey && canRequest && next.personId === place.personId;
          draw(isSelecting ? { ...place, from: selected?.from ?? place.day, to: next.day, span: null } : null);
          grid.current?.querySelector<HTMLElement>(`[data-cell="${next.personId} ${next.day}"]`)?.focus();
        } else if (event.key === 'Enter' || event.key === ' ') {
          finish(
            selected ?? { personId: place.personId, from: place.day, to: place.day, span: spanAt(event.target, spans) },
          );
        } else if (event.key === 'Escape' && selected !== null) draw(null);
        else return;
        event.preventDefault();
      },
    };
  });
  useEffect(() => {
    const end = ({ type }: Event): void => {
      events.current?.onUp(type === 'pointerup');
    };
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
    return () => {
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
    };
  }, []);
  // On a narrow screen the present day would be out of sight.
  useEffect(() => {
    const head = grid.current?.querySelector<HTMLElement>(`[data-day="${today()}"]`);
    const view = head?.closest('.mantine-ScrollArea-viewport');
    if (head && view) view.scrollLeft = head.offsetLeft - view.clientWidth / 2;
  }, [month]);
  const first = rows[0]?.person.id;
  const place =
    at !== null && days.includes(at.day) && rows.some(({ person }) => person.id === at.personId)
      ? at
      : { personId: first, day: days.includes(today()) ? today() : days[0]! };
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={900}>
        <Table
          ref={grid}
          role="grid"
          className={classes.month!}
          aria-label={t('calendar.label', { month: monthText(month) })}
          verticalSpacing={4}
          horizontalSpacing={0}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes.name!} scope="col">
                {t('name')}
              </Table.Th>
              {days.map((day) => {
                const label = [shortDayText(day), holidays.get(day)].filter(Boolean).join(', ');
                return (
                  <Table.Th
                    key={day}
                    data-day={day}
                    scope="col"
                    className={dayClass(day, holidays)}
                    aria-label={label}
                    title={label}
                  >
                    {Number(day.slice(8))}
                  </Table.Th>
                );
              })}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <PersonRow
                key={row.person.id}
                row={row}
                days={days}
                holidays={holidays}
                hasPersonScreen={hasPersonScreen}
                day={place.personId === row.person.id ? place.day : null}
                stroke={stroke?.personId === row.person.id ? stroke : null}
                events={events}
              />
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th className={classes.name!} scope="row">
                {t('calendar.outCount')}
              </Table.Th>
              {days.map((day) => {
                const count = rows.filter(({ spans }) => spans.some((span) => partOn(span, day) !== null)).length;
                return (
                  <Table.Td key={day} className={dayClass(day, holidays)}>
                    {count === 0 ? '' : count}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
      <Group p="sm" gap="md">
        <Key className={classes.approved!} text={t('calendar.approved')} />
        <Key className={classes.pending!} text={t('calendar.requested')} />
        <Text size="sm" c="dimmed">
          {t(canRequest ? 'calendar.hint' : 'calendar.hintOfReader')}
        </Text>
        {children}
      </Group>
    </Card>
  );
}

interface CellEvents {
  readonly onFocus: (place: Place) => void;
  /** `isDone`: the pointer was released, not taken away. */
  readonly onUp: (isDone: boolean) => void;
  readonly onDown: (event: PointerEvent, place: Place, spans: readonly Span[]) => void;
  readonly onEnter: (place: Place) => void;
  readonly onTap: (target: EventTarget, place: Place, spans: readonly Span[]) => void;
  readonly onKeyDown: (event: KeyboardEvent, place: Place, spans: readonly Span[]) => void;
}

interface PersonRowProperties {
  readonly row: PersonOut;
  readonly days: readonly string[];
  readonly holidays: ReadonlyMap<string, string>;
  readonly hasPersonScreen: boolean;
  /** The day of the cell that Tab reaches; null if it is in another row. */
  readonly day: string | null;
  readonly stroke: Stroke | null;
  readonly events: RefObject<CellEvents | null>;
}

const PersonRow = memo(function PersonRow(properties: PersonRowProperties) {
  const { row, days, holidays, hasPersonScreen, day: reached, stroke, events } = properties;
  const { t } = useTranslation('time-off');
  const { id: personId, display_name: name } = row.person;
  const [from, to] = stroke === null ? ['', ''] : drawnDays(stroke);
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.name!}>
        {hasPersonScreen ? (
          <ScreenLink to={`/people/${personId}`} size="sm" title={personId}>
            {name}
          </ScreenLink>
        ) : (
          name
        )}
      </Table.Th>
      {days.map((day) => {
        const place = { personId, day };
        const spans = row.spans.filter((span) => partOn(span, day) !== null);
        const isDrawn = stroke !== null && day >= from && day <= to;
        return (
          <Table.Td
            key={day}
            role="gridcell"
            data-cell={`${personId} ${day}`}
            tabIndex={day === reached ? 0 : -1}
            className={`${dayClass(day, holidays)} ${isDrawn ? classes.drawn : ''}`}
            aria-selected={isDrawn}
            {...(spans.length === 0 ? { 'aria-label': t('calendar.freeCell', { day: shortDayText(day) }) } : {})}
            onFocus={() => events.current?.onFocus(place)}
            onPointerDown={(event) => events.current?.onDown(event, place, spans)}
            onPointerEnter={() => events.current?.onEnter(place)}
            onClick={({ nativeEvent, target }) => {
              if ((nativeEvent as globalThis.PointerEvent).pointerType === 'touch')
                events.current?.onTap(target, place, spans);
            }}
            onKeyDown={(event) => events.current?.onKeyDown(event, place, spans)}
          >
            {spans.map((span) => (
              <SpanOnDay key={span.time_off_id} span={span} day={day} isOneOfSeveral={spans.length > 1} />
            ))}
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
});

interface SpanOnDayProperties {
  readonly span: Span;
  readonly day: string;
  /** Keys reach each of several records of a day; a single one is opened by its cell. */
  readonly isOneOfSeveral: boolean;
}

function SpanOnDay({ span, day, isOneOfSeveral }: SpanOnDayProperties) {
  const { t } = useTranslation('time-off');
  const part = partOn(span, day) as 'full' | 'morning' | 'afternoon';
  const of = { category: span.category.label, status: t(`statuses.${span.status_code}`) };
  const text =
    part === 'full' ? t('calendar.cell', of) : t('calendar.cellOfPart', { ...of, part: t(`dayParts.${part}`) });
  return (
    <span
      role={isOneOfSeveral ? 'button' : 'img'}
      tabIndex={isOneOfSeveral ? -1 : undefined}
      aria-label={text}
      title={text}
      data-span={span.time_off_id}
      className={`${classes.span} ${span.status_code === 'approved' ? classes.approved : classes.pending} ${part === 'full' ? '' : classes[part]}`}
    />
  );
}

/** The days that a stroke selects, or those to which it moves time off. */
function drawnDays({ from, to, span }: Stroke): Days {
  if (span === null) return from <= to ? [from, to] : [to, from];
  const shift = daysBetween(from, to);
  return [plusDays(span.start_date, shift), plusDays(span.end_date, shift)];
}

function spanAt(target: EventTarget, spans: readonly Span[]): Span | null {
  const id = (target as HTMLElement).dataset['span'];
  return spans.find((span) => span.time_off_id === id) ?? spans[0] ?? null;
}

/**
 * The record of the same day to which an arrow key leads, by its place among them; null for other keys and
 * after the last one. A focused cell stands for its first record.
 */
function recordAfter({ key, shiftKey, target }: KeyboardEvent, spans: readonly Span[]): number | null {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step === undefined || shiftKey) return null;
  const id = (target as HTMLElement).dataset['span'];
  const next =
    Math.max(
      0,
      spans.findIndex((span) => span.time_off_id === id),
    ) + step;
  return next >= 0 && next < spans.length ? next : null;
}

function focusOn(cell: EventTarget, record: number): void {
  const element = cell as HTMLElement;
  (record === 0 ? element : element.querySelectorAll<HTMLElement>('[data-span]')[record])?.focus();
}

/** The cell to which a key leads; null for other keys and at the edge. */
function placeAfter(
  key: string,
  { personId, day }: Place,
  rows: readonly PersonOut[],
  days: readonly string[],
): Place | null {
  const row = rows.findIndex(({ person }) => person.id === personId);
  const column = days.indexOf(day);
  const to = {
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    Home: [row, 0],
    End: [row, days.length - 1],
  }[key];
  if (to === undefined) return null;
  const [person, reached] = [rows[to[0]!]?.person.id, days[to[1]!]];
  return person === undefined || reached === undefined ? null : { personId: person, day: reached };
}

function Key({ className, text }: { readonly className: string; readonly text: string }) {
  return (
    <Group gap={6}>
      <span className={`${classes.key} ${className}`} aria-hidden />
      <Text size="sm">{text}</Text>
    </Group>
  );
}

function dayClass(day: string, holidays: ReadonlyMap<string, string>): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const isFree = weekday === 0 || weekday === 6 || holidays.has(day);
  return `${classes.day} ${isFree ? classes.weekend : ''} ${day === today() ? classes.today : ''}`;
}
