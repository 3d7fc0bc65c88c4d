import { Modal, type ModalProps } from '@mantine/core';

type DialogProperties = Omit<ModalProps, 'opened' | 'closeButtonProps' | 'attributes'>;

/** A dialog over the screen. Its header is not a banner, which would be a second one for screen readers. */
export function Dialog(properties: DialogProperties) {
  return (
    <Modal
      {...properties}
      opened
      closeButtonProps={{ 'aria-label': 'Close' }}
      attributes={{ header: { role: 'presentation' } }}
    />
  );
}
