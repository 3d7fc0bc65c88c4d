import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';

type Status = Schemas['DeliveryResponse']['status'];

const TONES: Readonly<Record<Status, Tone>> = {
  pending: 'quiet',
  retry_scheduled: 'watch',
  delivered: 'good',
  failed: 'bad',
};

/** The states of a delivery. */
export const STATUSES = Object.keys(TONES) as readonly Status[];

/** The state of a delivery in words. */
export function StatusBadge({ status }: { readonly status: Status }) {
  const { t } = useTranslation('webhooks');
  return <StateBadge tone={TONES[status]}>{t(`statuses.${status}`)}</StateBadge>;
}
