import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './form-buttons.module.css';

interface FormButtonsProperties {
  /** The verb on the submit button. */
  readonly action: string;
  readonly isPending: boolean;
  readonly isDisabled: boolean;
  readonly onClose: () => void;
  readonly closing?: string;
}

/** The end of a form in a dialog: the cancel and submit buttons. */
export function FormButtons({ action, isPending, isDisabled, onClose, closing }: FormButtonsProperties) {
  const { t } = useTranslation();
  return (
    <Group justify="flex-end" className={classes.buttons!}>
      <Button variant="default" onClick={onClose}>
        {closing ?? t('cancel')}
      </Button>
      <Button type="submit" loading={isPending} disabled={isDisabled}>
        {action}
      </Button>
    </Group>
  );
}
