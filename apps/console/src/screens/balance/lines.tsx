import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { answerOf } from '@workforce-hr/client';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat, shortDayText } from '../../data/days.js';
import { numberText } from '../../data/locale.js';
import { seesByRelation, useMay, useSession } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { TimeOffRecord } from '../time-off/record.js';
import { spanText } from '../time-off/span-text.js';
import { type AdjustmentFact, type Fact, type Line, minutesText, type Rule, signedText } from './statement.js';

type T = TFunction<'balance'>;

interface LinesProperties {
  readonly label: string;
  readonly lines: readonly Line[];
  /** Whether the amount is added or deducted. */
  readonly sign: 1 | -1;
  /** The length of a day in minutes; null for hours alone. */
  readonly day: number | null;
  readonly personId: string;
  readonly category: { readonly id: string; readonly label: string };
}

/** The lines that an amount is the sum of, each with its rule and the facts behind it. */
export function Lines({ label, lines, sign, day, personId, category }: LinesProperties) {
  const { t } = useTranslation('balance');
  const [opened, setOpened] = useState<string | null>(null);
  const [reversed, setReversed] = useState<Line | null>(null);
  const mayAdjust = useMay('time_off:balance:write');
  return (
    <>
      <Stack component="ol" aria-label={label} gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {lines.map((line, index) => (
          <Group key={index} component="li" justify="space-between" align="flex-start" gap="xs">
            <div style={{ flex: '1 1 220px', minWidth: 0 }}>
              <Text size="sm">{ruleText(t, line.rule, line.facts, day)}</Text>
              <Group gap="2px 12px">
                {!isWholeRecord(line) && (
                  <Text size="xs" c="dimmed">
                    {spanText({ start_date: line.first_day, end_date: line.last_day })}
                  </Text>
                )}
                {line.facts.map((fact) => (
                  <FactOf key={fact.kind} of={fact} personId={personId} onOpen={setOpened} />
                ))}
              </Group>
            </div>
            {mayAdjust && isReversible(line) && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('reverse.of', {
                  amount: signedText(line.minutes, day),
                  day: shortDayText(line.first_day),
                })}
                onClick={() => setReversed(line)}
              >
                {t('reverse.action')}
              </Button>
            )}
            <Text size="sm" ml="auto">
              {signedText(sign * line.minutes, day)}
            </Text>
          </Group>
        ))}
      </Stack>
      {opened !== null && <TimeOffRecord id={opened} onClose={() => setOpened(null)} />}
      {reversed !== null && (
        <Reverse line={reversed} day={day} personId={personId} category={category} onClose={() => setReversed(null)} />
      )}
    </>
  );
}

/** Whether the line has all days of its record, which the link to the record names. */
function isWholeRecord({ first_day: first, last_day: last, facts }: Line): boolean {
  return facts.some((fact) => fact.kind === 'time_off' && fact.start_date === first && fact.end_date === last);
}

/** An adjustment that no other one reverses, and that reverses none. */
function isReversible({ facts }: Line): boolean {
  const adjustment = adjustmentOf(facts);
  return adjustment !== undefined && adjustment.reversed_by === null && adjustment.reverses === null;
}

function adjustmentOf(facts: readonly Fact[]): AdjustmentFact | undefined {
  return facts.find((fact): fact is AdjustmentFact => fact.kind === 'adjustment');
}

function ruleText(t: T, rule: Rule, facts: readonly Fact[], day: number | null): string {
  const text = (minutes: number): string => minutesText(minutes, day);
  switch (rule.code) {
    case 'yearly_grant': {
      const numbers = { days: rule.days, ofDays: rule.of_days, allowance: text(rule.allowance_minutes) };
      return t(rule.days === rule.of_days ? 'rules.wholeYear' : 'rules.partOfYear', numbers);
    }
    case 'monthly':
      return t('rules.monthly', { count: rule.months, allowance: text(rule.allowance_minutes) });
    case 'part_of_month':
    case 'after_final_day': {
      const numbers = { days: rule.days, ofDays: rule.of_days, allowance: text(rule.allowance_minutes) };
      return t(rule.code === 'part_of_month' ? 'rules.partOfMonth' : 'rules.afterFinalDay', numbers);
    }
    case 'worked_time':
      return t('rules.workedTime', {
        days: rule.days,
        ofDays: rule.of_days,
        allowance: text(rule.allowance_minutes),
        fte: numberText(rule.full_time_equivalent, 4),
      });
    case 'rounding':
      return t('rules.rounding', { count: rule.multiple_of_minutes });
    case 'carry_over':
    case 'above_limit':
      return t(rule.code === 'carry_over' ? 'rules.carryOver' : 'rules.aboveLimit', {
        left: text(rule.left_minutes),
        maximum: text(rule.maximum_minutes),
      });
    case 'carry_over_expired':
      return t('rules.carryOverExpired', {
        carried: text(rule.carried_over_minutes),
        used: text(rule.used_minutes),
        count: rule.after_days,
      });
    case 'adjustment':
      return t('rules.adjustment', { reason: t(`reasons.${adjustmentOf(facts)!.reason_code}`) });
    case 'time_off':
      return t('rules.timeOff', { count: rule.days });
    case 'overdraft':
      return t('rules.overdraft');
    case 'lapsed':
      return t('rules.lapsed');
    case 'pending_not_counted':
      return t('notCounted');
    case 'amount':
      return t(`amounts.${rule.amount}`);
  }
}

interface FactProperties {
  readonly of: Fact;
  readonly personId: string;
  readonly onOpen: (timeOffId: string) => void;
}

/** A fact in words, as a link where a screen shows it. */
function FactOf({ of, personId, onOpen }: FactProperties) {
  const { t } = useTranslation('balance');
  const { t: time } = useTranslation('time-off');
  const session = useSession();
  if (of.kind === 'time_off')
    return (
      <Anchor component="button" type="button" size="xs" ta="left" onClick={() => onOpen(of.id)}>
        {t('facts.timeOff', { days: spanText(of), status: time(`statuses.${of.status_code}`) })}
      </Anchor>
    );
  const text = factText(t, of);
  const isOfTimeline = of.kind === 'employment' || of.kind === 'full_time_equivalent';
  if (isOfTimeline && !seesByRelation(session))
    return (
      <ScreenLink to={`/people/${personId}/timeline`} size="xs">
        {text}
      </ScreenLink>
    );
  return (
    <Text size="xs" c="dimmed" title={of.kind === 'adjustment' ? of.id : undefined}>
      {text}
    </Text>
  );
}

function factText(t: T, fact: Exclude<Fact, { readonly kind: 'time_off' }>): string {
  switch (fact.kind) {
    case 'adjustment': {
      const recorded = t('facts.recorded', { time: dateTimeFormat(fact.recorded_at) });
      if (fact.reverses !== null) return t('facts.reversal', { recorded });
      return fact.reversed_by === null ? recorded : t('facts.reversed', { recorded });
    }
    case 'employment': {
      const [first, final] = [fact.first_day, fact.final_day];
      if (final === null) return first === null ? t('facts.employed') : t('facts.since', { day: shortDayText(first) });
      return first === null
        ? t('facts.until', { day: shortDayText(final) })
        : t('facts.fromTo', { from: shortDayText(first), to: shortDayText(final) });
    }
    default: {
      const { kind, applies_from: from } = fact;
      return from === null ? t(`facts.${kind}.first`) : t(`facts.${kind}.from`, { day: shortDayText(from) });
    }
  }
}

interface ReverseProperties {
  readonly line: Line;
  readonly day: number | null;
  readonly personId: string;
  readonly category: { readonly id: string; readonly label: string };
  readonly onClose: () => void;
}

/** Records the exact opposite of an adjustment. */
function Reverse({ line, day, personId, category, onClose }: ReverseProperties) {
  const { t } = useTranslation('balance');
  const write = useWrite(
    (body: Schemas['CreateAdjustmentRequest'], header) => {
      const params = { path: { personId }, header };
      return answerOf(client.POST('/people/{personId}/time-off-balance/adjustments', { params, body }));
    },
    {
      onSuccess: () => {
        notifications.show({ message: t('reverse.done'), color: 'teal' });
        onClose();
      },
    },
  );
  const opposite = {
    category_id: category.id,
    amount_minutes: -line.minutes,
    effective_date: line.first_day,
    reason_code: 'correction',
    reverses: adjustmentOf(line.facts)!.id,
  } as const;
  const texts = { amount: signedText(line.minutes, day), day: shortDayText(line.first_day), category: category.label };
  return (
    <Confirmation
      title={t('reverse.title')}
      action={t('reverse.action')}
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(opposite) }}
      onClose={onClose}
    >
      {t('reverse.explanation', { ...texts, opposite: signedText(-line.minutes, day) })}
    </Confirmation>
  );
}
