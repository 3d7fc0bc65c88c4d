import { memo, useId, useMemo, useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { dayText, localDateTime, dateTimeFormat, plusDays, shortDayText } from '../../data/days.js';
import type { Area } from '../../data/beliefs.js';
import classes from './picture.module.css';
import { dayScale, instantScale, type Scale, ticksOf } from './scales.js';

interface PictureProperties {
  readonly areas: readonly Area[];
  /** The recorded times of facts, in order. */
  readonly moments: readonly string[];
  /** The days at which areas begin or end, within the days of the chart; in order. */
  readonly borders: readonly string[];
  readonly now: string;
  readonly day: string;
  /** Null for now. */
  readonly moment: string | null;
  /** The time to compare with; undefined for none. */
  readonly compared: string | undefined;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly onDay: (day: string) => void;
  readonly onMoment: (instant: string | null) => void;
  readonly onCompared: (instant: string) => void;
}

type Handle = 'day' | 'moment' | 'compared';

/** Space for the axes, in pixels. */
const MARGIN = { left: 92, right: 16, top: 14, bottom: 40 };
const COLOURS = 8;
/** The minimum size of an area with borders, in pixels. */
const THIN = 8;
/** The approximate width of a letter, in pixels. */
const LETTER = 6.6;

/**
 * Two times in one chart: the days of a belief across, the times between which it was held upwards. Two
 * handles choose a day and a recorded time.
 */
export function Picture(properties: PictureProperties) {
  const { t } = useTranslation('timeline');
  const {
    areas,
    moments: instants,
    borders,
    now,
    day,
    moment: instant,
    compared,
    width,
    height,
    onDay,
    onMoment,
    onCompared,
  } = properties;
  const picture = useRef<SVGSVGElement>(null);
  const pattern = useId();
  // During layout, the page can be narrower than the margins.
  const days = useMemo(() => dayScale(borders, Math.max(width - MARGIN.left - MARGIN.right, 0)), [borders, width]);
  const [first, last] = [borders[0]!, borders.at(-1)!];
  const known = useMemo(
    () => instantScale(instants, now, height - MARGIN.top - MARGIN.bottom),
    [instants, now, height],
  );
  const x = (value: string): number => MARGIN.left + days.placeOf(value);
  const y = (value: string): number => MARGIN.top + known.length - known.placeOf(value);

  const choose = (handle: Handle | 'both', { clientX, clientY }: PointerEvent): void => {
    const frame = picture.current!.getBoundingClientRect();
    const [across, upwards] = [clientX - frame.left - MARGIN.left, MARGIN.top + known.length - (clientY - frame.top)];
    if (handle === 'day' || handle === 'both') onDay(days.valueAt(across));
    const chosen = upwards >= known.length ? null : known.valueAt(upwards);
    if (handle === 'moment' || handle === 'both') onMoment(chosen);
    if (handle === 'compared') onCompared(chosen ?? now);
  };
  /** Follows the pointer from press to release. */
  const drag = (handle: Handle | 'both') => ({
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      choose(handle, event);
    },
    onPointerMove: (event: PointerEvent) =>
      event.currentTarget.hasPointerCapture(event.pointerId) && choose(handle, event),
  });
  const stepDay = (event: KeyboardEvent): void => {
    const step = DAY_STEPS[event.key];
    if (step === undefined && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    const requested = event.key === 'Home' ? first : event.key === 'End' ? last : plusDays(day, step!);
    onDay(requested < first ? first : requested > last ? last : requested);
  };
  /** From one recorded time to the next: nothing changes in between. */
  const stepMoment = (from: string | null, set: (instant: string | null) => void) => (event: KeyboardEvent) => {
    const later = event.key === 'ArrowUp' || event.key === 'ArrowRight' || event.key === 'PageUp';
    const earlier = event.key === 'ArrowDown' || event.key === 'ArrowLeft' || event.key === 'PageDown';
    if (!later && !earlier && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    if (event.key === 'End') set(null);
    else if (event.key === 'Home') set(instants[0]!);
    else if (later) set(instants.find((one) => one > (from ?? now)) ?? null);
    else set(instants.findLast((one) => one < (from ?? now)) ?? instants[0]!);
  };

  const [dayPlace, momentPlace] = [x(day), y(instant ?? now)];
  return (
    <svg
      ref={picture}
      className={classes.picture}
      width={width}
      height={height}
      role="group"
      aria-label={t('picture.label')}
    >
      <defs>
        <Hatch id={`${pattern}correction`} />
      </defs>
      <Background
        {...{ areas, moments: instants, borders, now, days, known, width, height }}
        hatch={`${pattern}correction`}
      />
      <rect
        x={MARGIN.left}
        y={MARGIN.top}
        width={days.length}
        height={known.length}
        className={classes.surface}
        {...drag('both')}
        aria-hidden
      />
      {compared !== undefined && (
        <g
          className={`${classes.handle} ${classes.compared}`}
          role="slider"
          tabIndex={0}
          aria-label={t('picture.comparison')}
          aria-orientation="vertical"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round((known.placeOf(compared) / known.length) * 100)}
          aria-valuetext={dateTimeFormat(compared)}
          onKeyDown={stepMoment(compared, (chosen) => onCompared(chosen ?? now))}
          {...drag('compared')}
        >
          <Target
            x1={MARGIN.left}
            x2={width - MARGIN.right}
            y1={y(compared)}
            y2={y(compared)}
            at={[MARGIN.left + 18, y(compared)]}
          />
          <line x1={MARGIN.left} x2={width - MARGIN.right} y1={y(compared)} y2={y(compared)} />
          <circle cx={MARGIN.left + 18} cy={y(compared)} r={7} />
        </g>
      )}
      <g
        className={classes.handle}
        role="slider"
        tabIndex={0}
        aria-label={t('knownAt')}
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round((known.placeOf(instant ?? now) / known.length) * 100)}
        aria-valuetext={instant === null ? t('picture.now') : dateTimeFormat(instant)}
        onKeyDown={stepMoment(instant, onMoment)}
        {...drag('moment')}
      >
        <Target
          x1={MARGIN.left}
          x2={width - MARGIN.right}
          y1={momentPlace}
          y2={momentPlace}
          at={[MARGIN.left, momentPlace]}
        />
        <line x1={MARGIN.left} x2={width - MARGIN.right} y1={momentPlace} y2={momentPlace} />
        <circle cx={MARGIN.left} cy={momentPlace} r={7} />
      </g>
      <g
        className={classes.handle}
        role="slider"
        tabIndex={0}
        aria-label={t('inForceOn')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round((days.placeOf(day) / days.length) * 100)}
        aria-valuetext={dayText(day)}
        onKeyDown={stepDay}
        {...drag('day')}
      >
        <Target
          x1={dayPlace}
          x2={dayPlace}
          y1={MARGIN.top}
          y2={height - MARGIN.bottom}
          at={[dayPlace, height - MARGIN.bottom]}
        />
        <line x1={dayPlace} x2={dayPlace} y1={MARGIN.top} y2={height - MARGIN.bottom} />
        <circle cx={dayPlace} cy={height - MARGIN.bottom} r={7} />
      </g>
      <circle cx={dayPlace} cy={momentPlace} r={4} className={classes.here} aria-hidden />
    </svg>
  );
}

interface BackgroundProperties extends Pick<
  PictureProperties,
  'areas' | 'moments' | 'borders' | 'now' | 'width' | 'height'
> {
  readonly days: Scale;
  readonly known: Scale;
  /** The id of the stripes of corrections. */
  readonly hatch: string;
}

/** Areas and axes: the parts that stay when a handle moves, drawn once for any number of facts. */
const Background = memo(function Background({
  areas,
  moments: instants,
  borders,
  now,
  days,
  known,
  width,
  height,
  hatch,
}: BackgroundProperties) {
  const { t } = useTranslation('timeline');
  const [first, last] = [borders[0]!, borders.at(-1)!];
  const x = (value: string): number => MARGIN.left + days.placeOf(value);
  const y = (value: string): number => MARGIN.top + known.length - known.placeOf(value);
  const colourOf = coloursOf(areas);
  const shapes = areas.map((area): Shape => {
    const [left, top] = [x(area.from ?? first), y(area.knownTo ?? now)];
    const [width, height] = [Math.max(x(area.to ?? last) - left, 0), Math.max(y(area.knownFrom) - top, 0)];
    return { area, x: left, y: top, width, height, isThin: width < THIN || height < THIN };
  });
  return (
    <g aria-hidden>
      {spaced(ticksOf(first, last), x).map(({ day: tick, text }) => (
        <g key={tick}>
          <line x1={x(tick)} x2={x(tick)} y1={MARGIN.top} y2={height - MARGIN.bottom} className={classes.grid} />
          <text x={x(tick)} y={height - MARGIN.bottom + 16} textAnchor="middle" className={classes.tick}>
            {text}
          </text>
        </g>
      ))}
      {thinAreas(shapes, colourOf).map(({ look, path }) => (
        <path key={look} d={path} className={look} />
      ))}
      <path d={pathOf(shapes.filter(({ area, isThin }) => isThin && isCorrection(area)))} fill={`url(#${hatch})`} />
      {shapes
        .filter(({ isThin }) => !isThin)
        .map(({ area, ...shape }) => (
          <g key={`${area.from} ${area.knownFrom}`}>
            <rect {...rectangleOf(shape)} className={`${classes.area} ${lookOf(area, colourOf)}`} />
            {isCorrection(area) && (
              <rect {...rectangleOf(shape)} fill={`url(#${hatch})`} className={classes.corrected} />
            )}
            {shape.width > area.text.length * LETTER + 12 && shape.height > 16 && (
              <text x={shape.x + 8} y={shape.y + shape.height / 2} dominantBaseline="central" className={classes.label}>
                {area.text}
              </text>
            )}
          </g>
        ))}
      {labelledInstants(instants, now, y).map(({ moment: instant, text }) => (
        <text
          key={instant}
          x={MARGIN.left - 8}
          y={y(instant)}
          textAnchor="end"
          dominantBaseline="central"
          className={classes.tick}
        >
          {text}
        </text>
      ))}
      <text x={MARGIN.left - 8} y={MARGIN.top} textAnchor="end" dominantBaseline="central" className={classes.tick}>
        {t('picture.now')}
      </text>
      <text x={width - MARGIN.right} y={height - 4} textAnchor="end" className={classes.axis}>
        {t('picture.across')}
      </text>
      <text x={4} y={height - 4} className={classes.axis}>
        {t('picture.upwards')}
      </text>
    </g>
  );
});

/** The rectangle of an area, in pixels. */
interface Shape {
  readonly area: Area;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Whether it is drawn without a border and a name. */
  readonly isThin: boolean;
}

const isCorrection = (area: Area): boolean => area.cause.action === 'correction';

const rectangleOf = ({ x, y, width, height }: Omit<Shape, 'area'>) => ({ x, y, width, height });

function lookOf(area: Area, colourOf: (key: string | null) => string): string {
  return `${colourOf(area.key)} ${area.knownTo === null ? '' : classes.former}`;
}

/**
 * One path for all thin areas that look the same: a long history has hundreds, and each element costs the
 * browser.
 */
function thinAreas(
  shapes: readonly Shape[],
  colourOf: (key: string | null) => string,
): readonly { readonly look: string; readonly path: string }[] {
  const byLook = new Map<string, Shape[]>();
  for (const shape of shapes) {
    if (!shape.isThin) continue;
    const look = lookOf(shape.area, colourOf);
    const alike = byLook.get(look);
    if (alike === undefined) byLook.set(look, [shape]);
    else alike.push(shape);
  }
  return Array.from(byLook, ([look, alike]) => ({ look, path: pathOf(alike) }));
}

function pathOf(shapes: readonly Shape[]): string {
  return shapes.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`).join('');
}

interface TargetProperties {
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
  /** Where the knob of the handle is. */
  readonly at: readonly [number, number];
}

/** The touch area of a handle, larger than its visible part. */
function Target({ at: [x, y], ...line }: TargetProperties) {
  return (
    <>
      <line {...line} className={classes.target} />
      <circle cx={x} cy={y} r={16} className={classes.target} />
    </>
  );
}

const DAY_STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -30,
  PageUp: 30,
};

/** The class of the colour of each value, by its key. */
function coloursOf(areas: readonly Area[]): (key: string | null) => string {
  const keys = [...new Set(areas.flatMap(({ key }) => (key === null ? [] : [key])))];
  const places = new Map(keys.map((key, index) => [key, index]));
  return (key) => (key === null ? classes.none! : classes[`colour${places.get(key)! % COLOURS}`]!);
}

/** The colour of each value, in the order of appearance. */
export const Legend = memo(function Legend({ areas }: { readonly areas: readonly Area[] }) {
  const { t } = useTranslation('timeline');
  const colourOf = coloursOf(areas);
  const pattern = useId();
  const texts = new Map(areas.map(({ key, text }) => [key, text]));
  return (
    <ul className={classes.legend} aria-label={t('picture.values')}>
      {[...texts].map(([key, text]) => (
        <li key={String(key)}>
          <svg width={14} height={14} aria-hidden>
            <rect width={14} height={14} rx={3} className={colourOf(key)} />
          </svg>
          {text}
        </li>
      ))}
      {areas.some(({ cause }) => cause.action === 'correction') && (
        <li>
          <svg width={14} height={14} aria-hidden>
            <defs>
              <Hatch id={pattern} />
            </defs>
            <rect x={1} y={1} width={12} height={12} fill={`url(#${pattern})`} className={classes.corrected} />
          </svg>
          {t('picture.fromCorrection')}
        </li>
      )}
    </ul>
  );
});

/** The stripes of corrections. */
function Hatch({ id }: { readonly id: string }) {
  return (
    <pattern id={id} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line x1="0" y1="0" x2="0" y2="7" className={classes.hatch} />
    </pattern>
  );
}

/** The ticks whose labels fit next to each other. */
function spaced<Tick extends { readonly day: string }>(
  ticks: readonly Tick[],
  x: (day: string) => number,
): readonly Tick[] {
  let free = 0;
  return ticks.filter(({ day }) => {
    const isFree = x(day) >= free;
    if (isFree) free = x(day) + 44;
    return isFree;
  });
}

/**
 * The times whose labels fit next to the axis, from the last one down: days, or times of day if all are on
 * one day; without duplicates.
 */
function labelledInstants(
  instants: readonly string[],
  now: string,
  y: (instant: string) => number,
): readonly { readonly moment: string; readonly text: string }[] {
  const dayOf = (instant: string): string => localDateTime(instant).slice(0, 10);
  const isOneDay = instants.every((instant) => dayOf(instant) === dayOf(now));
  const textOf = (instant: string): string =>
    isOneDay ? localDateTime(instant).slice(11) : shortDayText(dayOf(instant));
  // A day is labelled where it begins.
  const first = instants.filter((instant, index) => index === 0 || textOf(instant) !== textOf(instants[index - 1]!));
  const labelled: { moment: string; text: string }[] = [];
  let free = MARGIN.top + 15;
  for (const instant of first.toReversed()) {
    if (y(instant) < free) continue;
    labelled.push({ moment: instant, text: textOf(instant) });
    free = y(instant) + 15;
  }
  return labelled;
}
