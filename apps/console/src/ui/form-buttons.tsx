import { Button, Group } from '@mantine/core';

interface FormButtonsProperties {
  /** The verb on the submit button. */
  readonly action: string;
  readonly isPending: boolean;
  readonly isDisabled: boolean;
  readonly onClose: () => void;
  readonly closing?: string;
}

/** The end of a form in a dialog: the cancel and submit buttons. */
export function FormButtons({ action, isPending, isDisabled, onClose, closing = 'Cancel' }: FormButtonsProperties) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {closing}
      </Button>
      <Button type="submit" loading={isPending} disabled={isDisabled}>
        {action}
      </Button>
    </Group>
  );
}
