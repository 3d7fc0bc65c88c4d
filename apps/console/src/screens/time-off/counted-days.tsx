import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { amountText, daysText, hoursText, shortDayText } from '../../data/days.js';
import { listText } from '../../data/locale.js';
import { type Preview, usePreview } from '../../data/use-preview.js';
import { Failure } from '../../ui/states.js';

/** The answer of `/console/previews/time-off`; null if nothing would change. */
type Counted = Pick<Schemas['TimeOffResponse'], 'days' | 'total_minutes' | 'total_days' | 'status_code'> | null;
type Balance = Schemas['CategoryBalance'];

/**
 * The days of a request as the service would count them, without recording it.
 *
 * @param write the write; null while the form is incomplete
 */
export const useCountedDays = (write: object | null, catchUp?: (error: unknown) => Promise<never>): Preview<Counted> =>
  usePreview('/console/previews/time-off', write, catchUp);

interface CountedDaysProperties {
  readonly of: Preview<Counted>;
  /** The person whose balance is shown before and after; null for none. */
  readonly personId: string | null;
  readonly content: { readonly category_id: string; readonly end_date: string };
}

/** What a form will record: the counted days, those that are not counted, and the balance after them. */
export function CountedDays({ of: { isShown, data, error }, personId, content }: CountedDaysProperties) {
  const { t } = useTranslation('time-off');
  const { end_date: asOf, category_id: category } = content;
  const balance = useQuery({
    queryKey: ['people', personId, 'balance', asOf],
    queryFn: () => {
      const params = { path: { personId: personId! }, query: { as_of: asOf } };
      return answerOf(client.GET('/people/{personId}/time-off-balance', { params }));
    },
    enabled: personId !== null && isShown,
  });
  const account = balance.data?.data.balances.find((one) => one.category.id === category);
  return (
    <section aria-label={t('request.preview')} aria-live="polite">
      {error !== null && <Failure error={error} />}
      {!isShown && error === null && (
        <Text size="sm" c="dimmed">
          {t('request.waiting')}
        </Text>
      )}
      {isShown && data === null && <Text size="sm">{t('request.unchanged')}</Text>}
      {isShown && data !== null && data !== undefined && (
        <>
          <Text size="sm" fw={600}>
            {t('request.counted', { days: daysText(data.total_days), hours: hoursText(data.total_minutes, 2) })}
          </Text>
          <NotCounted days={data.days} />
          {account !== undefined && (
            <Text size="sm">
              {t('request.balance', {
                day: shortDayText(asOf),
                before: amountText(account, 'available'),
                after: amountText(lessBy(account, data.total_minutes), 'available'),
              })}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {t(data.status_code === 'pending' ? 'request.willWait' : 'request.willBeApproved')}
          </Text>
        </>
      )}
    </section>
  );
}

/** The days of a record that use up no minutes, each with its reason. */
export function NotCounted({ days }: { readonly days: Schemas['TimeOffResponse']['days'] }) {
  const { t } = useTranslation('time-off');
  const left = days.filter(({ counted }) => !counted);
  if (left.length === 0) return null;
  const texts = left.map(({ date, reason }) => `${shortDayText(date)} (${t(`request.reasons.${reason}`)})`);
  return (
    <Text size="sm" c="dimmed">
      {t('request.notCounted', { days: listText(texts) })}
    </Text>
  );
}

/** A balance after minutes are used, or given back if they are negative. */
export function lessBy(balance: Balance, minutes: number): Balance {
  const { available, days } = balance;
  return {
    ...balance,
    available: available - minutes,
    days: days === null ? null : { ...days, available: days.available - minutes / days.minutes_per_day },
  };
}
