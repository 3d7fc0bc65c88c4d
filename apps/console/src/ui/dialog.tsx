import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
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

/** The element that opened a dialog: of a menu, which is gone when the dialog closes, its button. */
function openerOf(active: Element | null): HTMLElement | null {
  const menu = active?.closest('[role="menu"]');
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

/** A dialog over the screen. Its header is not a banner, which would be a second one for screen readers. */
export function Dialog({ children, ...properties }: DialogProperties) {
  const { t } = useTranslation();
  const [opener] = useState(() => openerOf(document.activeElement));
  // The component library returns the focus only from a dialog that is closed before it is removed.
  useEffect(() => () => opener?.focus(), [opener]);
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
