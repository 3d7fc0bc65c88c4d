import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { showUndo } from './undo-notice.js';
import { mayHaveChanged } from '../data/use-write.js';

/** The headers of a write without a form. */
export const onceOnly = (): { readonly 'Idempotency-Key': string } => ({ 'Idempotency-Key': crypto.randomUUID() });

/** Says what was done. Its button undoes it by another write; everything that was read is read again. */
export function useUndo(): (message: string, undo: () => Promise<unknown>) => void {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return (message, undo) =>
    showUndo({
      message,
      action: t('undo.action'),
      onUndo: () =>
        void undo()
          .catch((error: Error) =>
            notifications.show({ color: 'red', title: t('undo.failed'), message: error.message }),
          )
          .then(() => queryClient.invalidateQueries({ predicate: mayHaveChanged })),
    });
}
