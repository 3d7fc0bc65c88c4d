import { Modal, type ModalProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

type DialogProperties = Omit<ModalProps, 'opened' | 'closeButtonProps' | 'attributes'>;

/** A dialog over the screen. Its header is not a banner, which would be a second one for screen readers. */
export function Dialog(properties: DialogProperties) {
  const { t } = useTranslation();
  return (
    <Modal
      {...properties}
      opened
      closeButtonProps={{ 'aria-label': t('close') }}
      attributes={{ header: { role: 'presentation' } }}
    />
  );
}
