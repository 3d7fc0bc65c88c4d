import { List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { Reading } from '../../ui/states.js';

/** The decisions about a record, each with its actor. */
export function Steps({ of: timeOffId }: { readonly of: string }) {
  const { t } = useTranslation('time-off');
  const steps = useQuery({
    queryKey: ['time-off', timeOffId, 'decisions'],
    queryFn: () =>
      answerOf(
        client.GET('/time-off/{timeOffId}/decisions', { params: { path: { timeOffId }, query: { with_notes: true } } }),
      ),
  });
  return (
    <>
      <Reading of={t('decided.readingSteps')} query={steps} />
      {steps.isSuccess && (
        <List size="sm" mt="xs" aria-label={t('decided.label')}>
          {steps.data.data.map(({ decision, decided_at: at, decided_by: by, approved_by: approver, note }) => (
            <List.Item key={`${decision} ${at}`}>
              {t(`decided.steps.${decision}`, { time: dateTimeFormat(at), by: by.name ?? by.id })}
              {approver !== null && t('decided.approver', { by: approver.name ?? approver.id })}
              {note !== null && note !== undefined && t('decided.note', { note })}
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
