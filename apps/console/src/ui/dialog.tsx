import { Modal, type ModalProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

type DialogProperties = Omit<ModalProps, 'opened' | 'closeButtonProps' | 'attributes'>;

/**
 * Marks the first field as the one that gets the focus, which the component library would give to the closing
 * button. A choice that is searched would open its list over the form.
 */
function markFirstField(body: HTMLElement | null): void {
  if (body === null || body.querySelector('[data-autofocus]') !== null) return;
  const first = body.querySelector('input:not([type="hidden"]), textarea, select');
  const opens = first?.getAttribute('aria-haspopup') === 'listbox' && !first.hasAttribute('readonly');
  if (!opens) first?.setAttribute('data-autofocus', '');
}

/** A dialog over the screen. Its header is not a banner, which would be a second one for screen readers. */
export function Dialog({ children, ...properties }: DialogProperties) {
  const { t } = useTranslation();
  return (
    <Modal
      {...properties}
      opened
      closeButtonProps={{ 'aria-label': t('close') }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <div ref={markFirstField}>{children}</div>
    </Modal>
  );
}
