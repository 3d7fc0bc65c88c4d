import { Alert, Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Says that a form holds what was typed before, and offers an empty form. */
export function RestoredDraft({ onDiscard }: { readonly onDiscard: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert role="status">
      <Group justify="space-between">
        <Text size="sm">{t('draft.restored')}</Text>
        <Button size="xs" variant="default" onClick={onDiscard}>
          {t('draft.discard')}
        </Button>
      </Group>
    </Alert>
  );
}
