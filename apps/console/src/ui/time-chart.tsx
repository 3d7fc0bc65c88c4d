import { Group, Text } from '@mantine/core';
import { formatOf } from '../data/locale.js';
import classes from './time-chart.module.css';

const WIDTH = 600;
const HEIGHT = 100;
/** The part of a slot that a bar fills. */
const BAR = 0.8;

/** Values in the order of the times; null where there is none. */
export interface Series {
  readonly name: string;
  readonly tone: 'main' | 'bad' | 'quiet';
  readonly values: readonly (number | null)[];
}

interface TimeChartProperties {
  readonly title: string;
  /** The values in a sentence, for screen readers. */
  readonly summary: string;
  /** The beginning of each part of the period (ISO 8601), at equal distances. */
  readonly times: readonly string[];
  /** Of bars, the series are on top of each other. */
  readonly kind: 'bars' | 'lines';
  readonly series: readonly Series[];
  /** A value with its unit. */
  readonly format: (value: number) => string;
}

/** A chart of values over time. Every value is shown while its part of the period is pointed at. */
export function TimeChart({ title, summary, times, kind, series, format }: TimeChartProperties) {
  const sums = times.map((_, index) => series.map(({ values }) => values[index] ?? 0));
  const highest = Math.max(...sums.map((parts) => (kind === 'bars' ? total(parts) : Math.max(...parts))), 0);
  const slot = WIDTH / times.length;
  const heightOf = (value: number): number => (highest === 0 ? 0 : (value / highest) * HEIGHT);
  return (
    <figure className={classes.chart}>
      <Group justify="space-between" gap="xs" component="figcaption">
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {highest === 0 ? '' : `≤ ${format(highest)}`}
        </Text>
      </Group>
      <svg
        className={classes.picture}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${summary}`}
      >
        {times.map((time, index) => (
          <rect key={time} className={classes.slot} x={index * slot} width={slot} height={HEIGHT}>
            <title>{[timeText(time), ...labelsAt(series, index, format)].join('\n')}</title>
          </rect>
        ))}
        {kind === 'bars' &&
          series.map(({ name, tone, values }, place) => (
            <g key={name} className={classes[tone]} pointerEvents="none">
              {values.map((value, index) => {
                const below = total(sums[index]!.slice(0, place));
                return (
                  (value ?? 0) > 0 && (
                    <rect
                      key={times[index]}
                      className={classes.bar}
                      x={(index + (1 - BAR) / 2) * slot}
                      width={slot * BAR}
                      y={HEIGHT - heightOf(below + value!)}
                      height={heightOf(value!)}
                    />
                  )
                );
              })}
            </g>
          ))}
        {kind === 'lines' &&
          series.map(({ name, tone, values }) => (
            <path
              key={name}
              className={`${classes[tone]} ${classes.line}`}
              pointerEvents="none"
              d={pathOf(
                values,
                (index) => (index + 0.5) * slot,
                (value) => HEIGHT - heightOf(value) * 0.98 - 1,
              )}
            />
          ))}
      </svg>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {timeText(times[0]!)}
        </Text>
        <Text size="xs" c="dimmed">
          {timeText(times.at(-1)!)}
        </Text>
      </Group>
      {series.length > 1 && (
        <Group gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {series.map(({ name, tone }) => (
            <Group key={name} gap={6} component="li">
              <span className={`${classes[tone]} ${classes.mark}`} aria-hidden />
              <Text size="xs">{name}</Text>
            </Group>
          ))}
        </Group>
      )}
    </figure>
  );
}

const inTime = formatOf({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const timeText = (time: string): string => inTime(new Date(time));

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function labelsAt(series: readonly Series[], index: number, format: (value: number) => string): readonly string[] {
  return series.map(({ name, values }) => {
    const value = values[index] ?? null;
    return `${name}: ${value === null ? '–' : format(value)}`;
  });
}

/** A line through the values; a value without neighbours is a stroke as wide as its part of the period. */
function pathOf(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const isFirst = (values[index - 1] ?? null) === null;
      const isAlone = isFirst && (values[index + 1] ?? null) === null;
      if (isAlone) return `M${x(index - 0.4).toFixed(1)} ${y(value).toFixed(1)}H${x(index + 0.4).toFixed(1)}`;
      return `${isFirst ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
}
