import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { dateTimeFormat, daysText, hoursText } from '../../data/days.js';
import { seesByRelation, useMay, useSession } from '../../data/session.js';
import type { Tagged } from '../../data/use-tagged-write.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { Dialog } from '../../ui/dialog.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Reading } from '../../ui/states.js';
import { NotCounted } from './counted-days.js';
import { ChangeTimeOff } from './request-time-off.js';
import { spanText } from './span-text.js';
import { Steps } from './steps.js';
import { TONES } from './tones.js';

type TimeOff = Schemas['TimeOffResponse'];

interface RecordProperties {
  readonly id: string;
  /** Days to which the user has moved it and which the form of the change begins with. */
  readonly movedTo?: readonly [from: string, to: string];
  readonly onClose: () => void;
}

/** A record of time off: its counted days and decisions; who may write changes or cancels it here. */
export function TimeOffRecord({ id, movedTo, onClose }: RecordProperties) {
  const { t } = useTranslation('time-off');
  const record = useQuery({
    queryKey: ['time-off', id],
    queryFn: () => answerOf(client.GET('/time-off/{timeOffId}', { params: { path: { timeOffId: id } } })),
  });
  const [step, setStep] = useState<'shown' | 'changed' | 'cancelled'>(movedTo === undefined ? 'shown' : 'changed');
  if (record.data !== undefined && step === 'changed')
    return (
      <ChangeTimeOff record={record.data} {...(movedTo === undefined ? {} : { days: movedTo })} onClose={onClose} />
    );
  if (record.data !== undefined && step === 'cancelled') return <Cancel record={record.data} onClose={onClose} />;
  const name = record.data?.data.person.display_name;
  return (
    <Dialog onClose={onClose} title={name === undefined ? t('record.days') : t('record.title', { name })}>
      <Reading of={t('record.reading')} query={record} />
      {record.data !== undefined && <Details record={record.data.data} onStep={setStep} />}
    </Dialog>
  );
}

interface DetailsProperties {
  readonly record: TimeOff;
  readonly onStep: (step: 'changed' | 'cancelled') => void;
}

function Details({ record, onStep }: DetailsProperties) {
  const { t } = useTranslation('time-off');
  const session = useSession();
  const mayWrite = useMay('time_off:write');
  const mayReadDecisions = useMay('time_off:decisions:read');
  const { category, status_code: status, total_days, total_minutes, updated_at } = record;
  const isOpen = status === 'pending' || status === 'approved';
  // Employees and managers take back their own requests, and change nothing else.
  const isByRelation = seesByRelation(session);
  const mayChange = mayWrite && isOpen && !isByRelation;
  const mayCancel = mayChange || (isByRelation && status === 'pending' && record.person.id === session.person_id);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {category.label}, {spanText(record)}
        </Text>
        <StateBadge tone={TONES[status]}>{t(`statuses.${status}`)}</StateBadge>
      </Group>
      <div>
        <Text size="sm">
          {t('request.counted', { days: daysText(total_days), hours: hoursText(total_minutes, 2) })}
        </Text>
        <NotCounted days={record.days} />
        <Text size="sm" c="dimmed">
          {t('record.updated', { time: dateTimeFormat(updated_at) })}
        </Text>
      </div>
      {mayReadDecisions && <Steps of={record.id} />}
      {mayCancel && (
        <Group justify="flex-end">
          <Button variant="default" onClick={() => onStep('cancelled')}>
            {t('record.cancel')}
          </Button>
          {mayChange && <Button onClick={() => onStep('changed')}>{t('record.change')}</Button>}
        </Group>
      )}
    </Stack>
  );
}

function Cancel({ record, onClose }: { readonly record: Tagged<TimeOff>; readonly onClose: () => void }) {
  const { t } = useTranslation('time-off');
  const { id } = record.data;
  const write = useWrite(
    (tag: string, header) => {
      const params = { path: { timeOffId: id }, header: { ...header, 'If-Match': tag } };
      return answerOf(client.POST('/time-off/{timeOffId}/cancel', { params }));
    },
    {
      onSuccess: () => {
        notifications.show({ message: t('record.cancelled'), color: 'teal' });
        onClose();
      },
    },
  );
  const { isPending, error } = write;
  return (
    <Confirmation
      title={t('record.cancelTitle')}
      action={t('record.cancelAction')}
      write={{ isPending, error, mutate: () => write.mutate(record.entityTag ?? '') }}
      onClose={onClose}
    >
      {record.data.person.display_name}, {record.data.category.label}, {spanText(record.data)}. {t('record.cancelHint')}
    </Confirmation>
  );
}
