import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.js';
import { Failure } from './states.js';

interface ConfirmationProperties {
  readonly title: string;
  /** Its effect, and what cannot be undone. */
  readonly children: ReactNode;
  /** The verb on the button. */
  readonly action: string;
  readonly write: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly mutate: () => void;
  };
  readonly onClose: () => void;
}

/** Asks before an action that cannot be undone. The cancel button has the focus. */
export function Confirmation({ title, children, action, write, onClose }: ConfirmationProperties) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={title} centered>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {write.error !== null && <Failure error={write.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel')}
          </Button>
          <Button color="red.9" loading={write.isPending} onClick={write.mutate}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
