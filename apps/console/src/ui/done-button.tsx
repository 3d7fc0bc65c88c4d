import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Closes a dialog that has shown its result. */
export function DoneButton({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {t('done')}
      </Button>
    </Group>
  );
}
