import { NativeSelect, NumberInput, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { amountText, shortDayText } from '../../data/days.js';
import { issueOf } from '../../data/issue-of.js';
import { usePreview } from '../../data/use-preview.js';
import { useWrite } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { Failure } from '../../ui/states.js';

type Adjustment = Schemas['CreateAdjustmentRequest'];
type Reason = Adjustment['reason_code'];

/** The answer of `/console/previews/balance-adjustments`. */
interface Effect {
  readonly as_of: string;
  readonly before: Schemas['CategoryBalance'];
  readonly after: Schemas['CategoryBalance'];
}

const REASONS = ['grant', 'correction', 'carry_over', 'payout', 'other'] as const satisfies readonly Reason[];
const SIGNS = ['add', 'deduct'] as const;
const UNITS = ['days', 'hours'] as const;

interface AdjustProperties {
  readonly person: { readonly id: string; readonly display_name: string };
  readonly category: { readonly id: string; readonly label: string };
  /** The day with which the form begins. */
  readonly asOf: string;
  /** The length of a day in minutes; null for hours alone. */
  readonly unitDay: number | null;
  readonly onClose: () => void;
}

/** The form of an adjustment, with the balance before and after it. */
export function AdjustBalance({ person, category, asOf, unitDay, onClose }: AdjustProperties) {
  const { t } = useTranslation('balance');
  const [sign, setSign] = useState<(typeof SIGNS)[number]>('add');
  const [amount, setAmount] = useState<number | string>('');
  const [unit, setUnit] = useState<(typeof UNITS)[number]>(unitDay === null ? 'hours' : 'days');
  const [date, setDate] = useState(asOf);
  const [reason, setReason] = useState<Reason>('grant');
  const minutes = Math.round(Number(amount) * (unit === 'days' ? unitDay! : 60)) * (sign === 'add' ? 1 : -1);
  const body: Adjustment | null =
    amount === '' || minutes === 0 || date === ''
      ? null
      : { category_id: category.id, amount_minutes: minutes, effective_date: date, reason_code: reason };
  const preview = usePreview<Effect>(
    '/console/previews/balance-adjustments',
    body === null ? null : { person_id: person.id, body },
  );
  const write = useWrite(
    (sent: Adjustment, header) => {
      const params = { path: { personId: person.id }, header };
      return answerOf(client.POST('/people/{personId}/time-off-balance/adjustments', { params, body: sent }));
    },
    {
      onSuccess: () => {
        notifications.show({ message: t('adjust.done'), color: 'teal' });
        onClose();
      },
    },
  );
  const error = write.error ?? preview.error;
  const issue = (field: string): string | undefined => issueOf(error, field);
  return (
    <Dialog onClose={onClose} title={t('adjust.title', { category: category.label, name: person.display_name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (body !== null) write.mutate(body);
        }}
      >
        <Stack>
          <SegmentedControl
            aria-label={t('adjust.sign')}
            data={SIGNS.map((value) => ({ value, label: t(`adjust.${value}`) }))}
            value={sign}
            onChange={(value) => setSign(value as (typeof SIGNS)[number])}
          />
          <SimpleGrid cols={2}>
            <NumberInput
              label={t('adjust.amount')}
              required
              min={0}
              decimalScale={2}
              value={amount}
              onChange={setAmount}
              error={issue('amount_minutes')}
              data-autofocus
            />
            <NativeSelect
              label={t('adjust.unit')}
              data={UNITS.filter((value) => value === 'hours' || unitDay !== null).map((value) => ({
                value,
                label: t(`adjust.${value}`),
              }))}
              value={unit}
              onChange={({ target }) => setUnit(target.value as (typeof UNITS)[number])}
            />
          </SimpleGrid>
          <TextInput
            type="date"
            label={t('adjust.day')}
            description={t('adjust.dayHint')}
            required
            value={date}
            onChange={({ target }) => setDate(target.value)}
            error={issue('effective_date')}
          />
          <NativeSelect
            label={t('adjust.reason')}
            data={REASONS.map((value) => ({ value, label: t(`reasons.${value}`) }))}
            value={reason}
            onChange={({ target }) => setReason(target.value as Reason)}
            error={issue('reason_code')}
          />
          <section aria-label={t('adjust.preview')} aria-live="polite">
            {preview.data === undefined ? (
              <Text size="sm" c="dimmed">
                {t('adjust.waiting')}
              </Text>
            ) : (
              <Text size="sm">
                {t('adjust.beforeAndAfter', {
                  day: shortDayText(preview.data.as_of),
                  before: amountText(preview.data.before, 'available'),
                  after: amountText(preview.data.after, 'available'),
                })}
              </Text>
            )}
          </section>
          {error !== null && <Failure error={error} />}
          <FormButtons
            action={t('adjust.send')}
            isPending={write.isPending}
            isDisabled={!preview.isShown}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
