import { useTranslation } from 'react-i18next';
import { plusDays, shortDayText, today } from '../../data/days.js';
import { listText } from '../../data/locale.js';
import { spanText } from '../../ui/belief-changes.js';
import classes from './two-times.module.css';

interface Span {
  readonly effective_from: string | null;
  readonly effective_to: string | null;
}

const WIDTH = 480;
const LEFT = 120;
const BAND = 18;
/** The days that are shown around a change that has no beginning or no end. */
const AROUND = 365;

/**
 * The effect of a write in the two times: days from left to right, knowledge before the write below and after
 * it above. Days whose answer changes are coloured, in the band of the later knowledge alone.
 */
export function TwoTimes({ changes }: { readonly changes: readonly Span[] }) {
  const { t } = useTranslation();
  const spans = [...new Map(changes.map((one) => [`${one.effective_from} ${one.effective_to}`, one])).values()];
  const days = spans.flatMap(({ effective_from: from, effective_to: to }) => [from, to]).filter((day) => day !== null);
  const now = today();
  const marks = [...days, now].sort();
  const [first, last] = [plusDays(marks[0]!, -AROUND), plusDays(marks.at(-1)!, AROUND)];
  const length = Date.parse(last) - Date.parse(first);
  const x = (day: string): number => LEFT + ((Date.parse(day) - Date.parse(first)) / length) * (WIDTH - LEFT);
  const label = t('preview.picture', {
    spans: listText(spans.map(({ effective_from: from, effective_to: to }) => spanText(from, to))),
  });
  const bands = [
    [t('preview.knownAfter'), 0],
    [t('preview.knownBefore'), BAND + 6],
  ] as const;
  const edge = marks.find((day) => days.includes(day));
  return (
    <svg viewBox={`0 0 ${WIDTH} ${2 * BAND + 26}`} role="img" aria-label={label} className={classes.picture}>
      {bands.map(([text, y]) => (
        <g key={y}>
          <text x={0} y={y + 13} className={classes.text}>
            {text}
          </text>
          <rect x={LEFT} y={y} width={WIDTH - LEFT} height={BAND} className={classes.band} />
        </g>
      ))}
      {spans.map(({ effective_from: from, effective_to: to }) => {
        const left = x(from ?? first);
        return (
          <rect
            key={`${from} ${to}`}
            x={left}
            y={0}
            width={Math.max(2, x(to ?? last) - left)}
            height={BAND}
            className={classes.changed}
          />
        );
      })}
      <line x1={x(now)} x2={x(now)} y1={0} y2={2 * BAND + 6} className={classes.today} />
      {edge !== undefined && (
        <text x={x(edge)} y={2 * BAND + 20} textAnchor="middle" className={classes.text}>
          {shortDayText(edge)}
        </text>
      )}
    </svg>
  );
}
