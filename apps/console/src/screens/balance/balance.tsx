import { Button, Card, Group, NativeSelect, Table, Text, TextInput, Title } from '@mantine/core';
import { IconAdjustments } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress, useParameter } from '../../data/address.js';
import { dayText, shortDayText, today } from '../../data/days.js';
import { seesByRelation, useMay, useSession } from '../../data/session.js';
import { Page } from '../../ui/page.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { Empty, Reading } from '../../ui/states.js';
import { AdjustBalance } from './adjust-balance.js';
import { Lines } from './lines.js';
import {
  type AmountName,
  type BalanceStatement,
  type CategoryStatement,
  dayOf,
  minutesText,
  readStatement,
  signedText,
} from './statement.js';

/** The balances of a person at the end of any day: each one a sum whose lines say why it is what it is. */
export function BalanceScreen() {
  const { t } = useTranslation(['balance', 'common']);
  const personId = useParameter('personId');
  const [{ as_of: asOf = today(), category }, change] = useAddress<{ as_of?: string; category?: string }>();
  const statement = useQuery({
    queryKey: ['people', personId, 'balance-statement', asOf],
    queryFn: () => readStatement(personId, asOf),
    placeholderData: keepPreviousData,
  });
  const { data } = statement;
  const all = data?.statements ?? [];
  const shown = all.filter((one) => category === undefined || one.category.id === category);
  return (
    <Page
      title={data === undefined ? t('balance') : t('title', { name: data.person.display_name })}
      note={<PersonLink personId={personId} />}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          type="date"
          label={t('asOf')}
          value={asOf}
          onChange={({ target }) => change({ as_of: target.value === '' ? undefined : target.value })}
        />
        <Button variant="default" onClick={() => change({ as_of: undefined })}>
          {t('common:today')}
        </Button>
        {all.length > 1 && (
          <NativeSelect
            label={t('category')}
            data={[
              { value: '', label: t('allCategories') },
              ...all.map(({ category: { id, label } }) => ({ value: id, label })),
            ]}
            value={category ?? ''}
            onChange={({ target }) => change({ category: target.value === '' ? undefined : target.value })}
          />
        )}
      </Group>
      <Reading of={t('reading')} query={statement} />
      {statement.isSuccess && shown.length === 0 && <Empty title={t('none')}>{t('noneHint')}</Empty>}
      {data !== undefined && shown.map((one) => <Category key={one.category.id} of={one} statement={data} />)}
    </Page>
  );
}

/** The way to the page of the person, or to the user's own page. */
function PersonLink({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('balance');
  const session = useSession();
  if (!seesByRelation(session)) return <ScreenLink to={`/people/${personId}`}>{t('toPerson')}</ScreenLink>;
  return session.person_id === personId ? (
    <ScreenLink to="/me">{t('toMyPage')}</ScreenLink>
  ) : (
    <ScreenLink to="/my-team">{t('toMyTeam')}</ScreenLink>
  );
}

/** The amounts of the sum from top to bottom, each with its sign; those without a sign are results. */
const ROWS: readonly (readonly [AmountName, 1 | -1 | null])[] = [
  ['carried_over', 1],
  ['opening', 1],
  ['accrued', 1],
  ['adjusted', 1],
  ['taken', -1],
  ['expired', -1],
  ['remaining', null],
  ['scheduled', -1],
  ['pending', -1],
  ['available', null],
];

/** In pixels: an amount stays near its name. */
const WIDTH = 760;

interface CategoryProperties {
  readonly of: CategoryStatement;
  readonly statement: BalanceStatement;
}

/** The balance in one category. */
function Category({ of, statement: { person, as_of: asOf, minutes_per_day: minutesPerDay } }: CategoryProperties) {
  const { t } = useTranslation('balance');
  const mayAdjust = useMay('time_off:balance:write');
  const [isAdjusting, setIsAdjusting] = useState(false);
  const { category, leave_year: year, amounts } = of;
  const day = dayOf(of, minutesPerDay);
  // Results are always shown, and what makes most balances; the other amounts if there are any.
  const rows = ROWS.filter(
    ([name, sign]) => sign === null || name === 'accrued' || name === 'taken' || amounts[name].lines.length > 0,
  );
  return (
    <Card withBorder component="section" aria-label={category.label} maw={WIDTH}>
      <Group justify="space-between" gap="xs" mb="xs">
        <div>
          <Title order={2} size="h4">
            {category.label}
          </Title>
          <Text size="sm" c="dimmed">
            {year === null
              ? t('notEmployedYet', { day: dayText(asOf) })
              : t('leaveYear', { from: shortDayText(year.first_day), to: shortDayText(year.last_day) })}
          </Text>
        </div>
        {mayAdjust && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconAdjustments size={16} aria-hidden />}
            aria-label={t('adjust.of', { category: category.label })}
            onClick={() => setIsAdjusting(true)}
          >
            {t('adjust.action')}
          </Button>
        )}
      </Group>
      <Table verticalSpacing={6} aria-label={t('sum', { category: category.label, day: dayText(asOf) })}>
        <Table.Tbody>
          {rows.map(([name, sign]) => (
            <Amount key={name} name={name} sign={sign} of={of} day={day} personId={person.id} />
          ))}
        </Table.Tbody>
      </Table>
      {isAdjusting && (
        <AdjustBalance
          person={person}
          category={category}
          asOf={asOf}
          unitDay={day}
          onClose={() => setIsAdjusting(false)}
        />
      )}
    </Card>
  );
}

interface AmountProperties {
  readonly name: AmountName;
  readonly sign: 1 | -1 | null;
  readonly of: CategoryStatement;
  /** The length of a day in minutes; null for hours alone. */
  readonly day: number | null;
  readonly personId: string;
}

/** A row of the sum, with its lines below it once the user asks why. */
function Amount({ name, sign, of: { category, amounts }, day, personId }: AmountProperties) {
  const { t } = useTranslation('balance');
  const [isOpen, setIsOpen] = useState(false);
  const { minutes, lines } = amounts[name];
  const isHeld = name !== 'pending' || !amounts.available.lines.some(({ rule }) => rule.code === 'pending_not_counted');
  const isResult = sign === null;
  const text = isResult || minutes === 0 || !isHeld ? minutesText(minutes, day) : signedText(sign * minutes, day);
  const label = t(`amounts.${name}`);
  const listId = `why-${category.id}-${name}`;
  return (
    <Fragment>
      <Table.Tr fw={isResult ? 600 : 400} bg={isResult ? 'var(--mantine-color-default-hover)' : 'transparent'}>
        <Table.Th scope="row" fw="inherit">
          {label}
          {!isHeld && (
            <Text size="xs" c="dimmed">
              {t('notCounted')}
            </Text>
          )}
        </Table.Th>
        <Table.Td ta="right">{text}</Table.Td>
        <Table.Td ta="right" w={1}>
          {!isResult && lines.length > 0 && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t('whyOf', { amount: label, category: category.label })}
              aria-expanded={isOpen}
              aria-controls={listId}
              onClick={() => setIsOpen(!isOpen)}
            >
              {t('why')}
            </Button>
          )}
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={2} id={listId} pl="xl">
            <Lines
              label={t('linesOf', { amount: label, category: category.label })}
              lines={lines}
              sign={isHeld ? (sign ?? 1) : 1}
              day={day}
              personId={personId}
              category={category}
            />
          </Table.Td>
          <Table.Td />
        </Table.Tr>
      )}
    </Fragment>
  );
}
