import { Fragment, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { currentLocale } from '../../data/locale.js';
import { useTexts } from './texts.js';
import { type Cell, effectOfKey, HALVES, MAX_HALF_MINUTES, minutesOf, type PatternDay } from './week.js';
import classes from './week-painter.module.css';

interface WeekPainterProperties {
  readonly label: string;
  readonly weeks: number;
  readonly days: readonly PatternDay[];
  /** The minutes that the pointer and the space bar paint. */
  readonly brush: number;
  /** Called with a cell that gets these minutes; several times before the next days when the pointer is fast. */
  readonly onPaint: (cell: Cell, minutes: number) => void;
}

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;
const FIRST: Cell = { week: 1, weekday: 1, half: 'morning' };

const nameOfDay = (weekday: number, style: 'long' | 'short'): string =>
  new Intl.DateTimeFormat(currentLocale(), { weekday: style, timeZone: 'UTC' }).format(
    // 1 January 2024 is a Monday.
    Date.UTC(2024, 0, weekday),
  );

/** Minutes as hours: 3.75. */
const hours = (minutes: number): string =>
  new Intl.NumberFormat(currentLocale(), { maximumFractionDigits: 2 }).format(minutes / 60);

/**
 * The halves of the days of a cycle as a grid that one paints: the pointer paints all cells over which it is
 * drawn; keys walk, paint, and set hours (WAI-ARIA, "Grid").
 */
export function WeekPainter({ label, weeks, days, brush, onPaint }: WeekPainterProperties) {
  const t = useTexts();
  const [at, setAt] = useState<Cell>(FIRST);
  const grid = useRef<HTMLTableElement>(null);
  /** What the pointer paints until it is released; null while it paints nothing. */
  const stroke = useRef<number | null>(null);
  useEffect(() => {
    const end = (): void => {
      stroke.current = null;
    };
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
    return () => {
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
    };
  }, []);
  const focus = (cell: Cell): void => {
    setAt(cell);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${idOf(cell)}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, cell: Cell): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const minutes = minutesOf(days, cell);
    const effect = effectOfKey(event.key, cell, minutes, weeks, brush);
    if (effect === null) return;
    event.preventDefault();
    if ('minutes' in effect) onPaint(cell, effect.minutes);
    else {
      // Shift draws the stroke on, as the pointer does.
      if (event.shiftKey) onPaint(effect.to, minutes);
      focus(effect.to);
    }
  };
  return (
    <table role="grid" aria-label={label} className={classes.grid} ref={grid}>
      <thead>
        <tr>
          <td />
          {WEEKDAYS.map((weekday) => (
            <th key={weekday} scope="col" abbr={nameOfDay(weekday, 'long')}>
              {nameOfDay(weekday, 'short')}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: weeks }, (_, index) => index + 1).map((week) => (
          <Fragment key={week}>
            {HALVES.map((half) => (
              <tr key={half}>
                <th scope="row">
                  {weeks > 1 && half === 'morning' && <span>{t('patterns.week', { week })} </span>}
                  {t(`patterns.${half}`)}
                </th>
                {WEEKDAYS.map((weekday) => {
                  const cell = { week, weekday, half };
                  const minutes = minutesOf(days, cell);
                  const isHere = idOf(cell) === idOf(at);
                  return (
                    <td
                      key={weekday}
                      role="gridcell"
                      data-cell={idOf(cell)}
                      tabIndex={isHere ? 0 : -1}
                      aria-label={t(weeks > 1 ? 'patterns.cellOfWeek' : 'patterns.cell', {
                        day: nameOfDay(weekday, 'long'),
                        half: t(`patterns.${half}`),
                        hours: minutes / 60,
                        week,
                      })}
                      className={classes.cell}
                      onFocus={() => setAt(cell)}
                      onKeyDown={(event) => onKeyDown(event, cell)}
                      onPointerDown={(event) => {
                        // A finger, too, draws over other cells.
                        event.currentTarget.releasePointerCapture(event.pointerId);
                        stroke.current = minutes === brush ? 0 : brush;
                        onPaint(cell, stroke.current);
                        focus(cell);
                      }}
                      onPointerEnter={() => {
                        if (stroke.current !== null) onPaint(cell, stroke.current);
                      }}
                    >
                      <span
                        className={classes.paint}
                        style={{ height: `${Math.min(100, (minutes / (MAX_HALF_MINUTES / 2)) * 100)}%` }}
                        aria-hidden
                      />
                      <span className={classes.hours} aria-hidden>
                        {minutes === 0 ? '' : hours(minutes)}
                      </span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

const idOf = ({ week, weekday, half }: Cell): string => `${week}.${weekday}.${half}`;
