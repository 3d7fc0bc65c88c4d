import { Alert, Card, Group, Stack, Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hoursText, shortDayText } from '../../data/days.js';
import { sendToConsole } from '../../data/session.js';
import { PersonSelect } from '../../ui/person-select.js';
import { Failure, Loading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import classes from './balance-preview.module.css';
import type { Values } from './facts.js';
import { type Translate, useTexts } from './texts.js';

interface Amounts {
  readonly accrued: number;
  readonly carried_over: number;
  readonly expired: number;
  readonly available: number;
}

/** The answer of `/console/product-settings/balance-previews`. */
interface Preview {
  /** Null where the length of the person's day is not known. */
  readonly minutes_per_day: number | null;
  readonly categories: readonly Category[];
}

interface Category {
  readonly category: { readonly id: string; readonly label: string };
  readonly unit: string;
  readonly days: readonly { readonly date: string; readonly before: Amounts; readonly after: Amounts }[];
}

interface BalancePreviewProperties {
  /** The rules of the form that differ from those in force. */
  readonly proposed: {
    readonly settings?: Values;
    readonly category?: { readonly id: string; readonly changes: Values };
  };
}

const TYPING_MILLISECONDS = 300;

/**
 * What the rules of a form would do to the balances of one person, to the end of the next leave year, as the
 * service calculates it.
 */
export function BalancePreview({ proposed }: BalancePreviewProperties) {
  const t = useTexts();
  const [person, setPerson] = useState<string | null>(null);
  const [body] = useDebouncedValue({ person_id: person, ...proposed }, TYPING_MILLISECONDS);
  const preview = useQuery({
    queryKey: ['preview', 'balances', body],
    queryFn: () => sendToConsole<Preview>('POST', '/console/product-settings/balance-previews', body),
    enabled: body.person_id !== null,
    placeholderData: keepPreviousData,
  });
  const only = proposed.category?.id;
  const shown = (preview.data?.categories ?? []).filter(({ category }) => only === undefined || category.id === only);
  return (
    <Card withBorder component="section" aria-label={t('preview.title')} style={{ alignSelf: 'start' }}>
      <Stack gap="sm">
        <Text fw={600}>{t('preview.title')}</Text>
        <PersonSelect
          label={t('preview.person')}
          description={t('preview.explanation')}
          value={person}
          valueName={null}
          onChange={setPerson}
        />
        {preview.isError && <Failure error={preview.error} />}
        {preview.isLoading && <Loading of={t('preview.these')} />}
        {person !== null && preview.isSuccess && shown.length === 0 && (
          <Alert color="gray">{t('preview.nothing')}</Alert>
        )}
        {person !== null &&
          shown.map((one) => <Year key={one.category.id} of={one} day={preview.data!.minutes_per_day} />)}
      </Stack>
    </Card>
  );
}

/** An amount in the unit in which people count the category. */
function amountOf(t: Translate, minutes: number, unit: string, day: number | null): string {
  return unit === 'days' && day !== null
    ? t('values.days', { days: Number((minutes / day).toFixed(2)) })
    : hoursText(minutes, 2);
}

function Year({ of, day }: { readonly of: Category; readonly day: number | null }) {
  const t = useTexts();
  const { category, unit, days } = of;
  const text = (minutes: number): string => amountOf(t, minutes, unit, day);
  const last = days.at(-1)!;
  const isSame = days.every(({ before, after }) => before.available === after.available);
  return (
    <Stack gap={4}>
      <Group justify="space-between" align="baseline">
        <Text size="sm" fw={600}>
          {category.label}
        </Text>
        <Text size="sm">
          {isSame
            ? t('preview.same', { amount: text(last.after.available), day: shortDayText(last.date) })
            : t('preview.ends', {
                before: text(last.before.available),
                after: text(last.after.available),
                day: shortDayText(last.date),
              })}
        </Text>
      </Group>
      <Lines of={of} label={t('preview.picture', { category: category.label })} />
      <details>
        <summary className={classes.summary}>{t('preview.numbers')}</summary>
        <WideTable
          label={t('preview.numbersOf', { category: category.label })}
          heads={[
            t('preview.day'),
            t('preview.before'),
            t('preview.after'),
            t('preview.accrued'),
            t('preview.expired'),
          ]}
          minWidth={420}
        >
          {days.map(({ date, before, after }) => (
            <Table.Tr key={date}>
              <Table.Td>{shortDayText(date)}</Table.Td>
              <Table.Td>{text(before.available)}</Table.Td>
              <Table.Td fw={before.available === after.available ? 400 : 600}>{text(after.available)}</Table.Td>
              <Table.Td>{text(after.accrued)}</Table.Td>
              <Table.Td>{text(after.expired)}</Table.Td>
            </Table.Tr>
          ))}
        </WideTable>
      </details>
    </Stack>
  );
}

const WIDTH = 480;
const HEIGHT = 96;

/** What is available, before as a dashed step line, after as a solid one. */
function Lines({ of: { days }, label }: { readonly of: Category; readonly label: string }) {
  const t = useTexts();
  const amounts = days.flatMap(({ before, after }) => [before.available, after.available]);
  const [low, high] = [Math.min(0, ...amounts), Math.max(1, ...amounts)];
  const x = (index: number): number => (index / Math.max(1, days.length - 1)) * WIDTH;
  const y = (minutes: number): number => HEIGHT - 4 - ((minutes - low) / (high - low)) * (HEIGHT - 8);
  const path = (which: 'before' | 'after'): string =>
    days
      .map(
        (point, index) =>
          `${index === 0 ? 'M' : 'H'}${x(index).toFixed(1)}${index === 0 ? ',' : ' V'}${y(point[which].available).toFixed(1)}`,
      )
      .join(' ');
  return (
    <figure className={classes.figure}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} className={classes.picture}>
        <line x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} className={classes.zero} />
        <path d={path('before')} className={classes.before} />
        <path d={path('after')} className={classes.after} />
      </svg>
      <figcaption className={classes.caption}>
        <span>{shortDayText(days[0]!.date)}</span>
        <span className={classes.keyBefore}>{t('preview.before')}</span>
        <span className={classes.keyAfter}>{t('preview.after')}</span>
        <span>{shortDayText(days.at(-1)!.date)}</span>
      </figcaption>
    </figure>
  );
}
