import { notifications } from '@mantine/notifications';
import { answerOf } from '@workforce-hr/client';
import { useTranslation } from 'react-i18next';
import { client } from '../../data/client.js';
import { onceOnly, useUndo } from '../../ui/use-undo.js';
import type { Fact } from './dated-terms.js';

/** By what a fact is known that a form has just recorded. */
export type JustRecorded = Pick<Fact, 'action' | 'effective_from'>;

/**
 * Says that a fact is recorded, with a button that withdraws it. Without the button where another fact is the
 * newest by now.
 */
export function useUndoOfFact(personId: string): (message: string, recorded: JustRecorded) => Promise<void> {
  const { t } = useTranslation();
  const showUndo = useUndo();
  return async (message, recorded) => {
    const fact = await newestFact(personId).catch(() => undefined);
    if (fact?.action !== recorded.action || fact.effective_from !== recorded.effective_from) {
      notifications.show({ message, color: 'teal' });
      return;
    }
    showUndo(message, async () => {
      const body = { corrects: fact.fact_id, withdraw: true, correction_reason: t('undo.reason') } as const;
      const params = { path: { personId }, header: onceOnly() };
      await answerOf(client.POST('/people/{personId}/employment-history', { params, body }));
      notifications.show({ message: t('undo.done'), color: 'teal' });
    });
  };
}

async function newestFact(personId: string): Promise<Fact | undefined> {
  const params = { path: { personId }, query: { limit: 1 } };
  return (await answerOf(client.GET('/people/{personId}/employment-history', { params }))).data[0];
}
