import { ActionIcon, Card, Group, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPencil } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { FormContent, type FormProperties } from './form.js';

/** The cards that are edited in their place, by their names in the address. */
type CardName = 'identity' | 'personal' | 'custom-fields';

interface SectionProperties {
  readonly title: string;
  /** The form that takes the place of the content; absent where the user may not edit it. */
  readonly edit?: { readonly name: CardName; readonly form: (close: () => void) => ReactNode } | undefined;
  readonly children: ReactNode;
}

/** A card of the person, which is edited in its place. */
export function Section({ title, edit, children }: SectionProperties) {
  const { t } = useTranslation('person');
  const [{ edit: edited }, change] = useAddress<{ edit?: string }>();
  const isEdited = edit !== undefined && edited === edit.name;
  const button = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(isEdited);
  useEffect(() => {
    if (wasEdited.current && !isEdited) button.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  return (
    <Card withBorder component="section" aria-label={title}>
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {edit !== undefined && !isEdited && (
          <ActionIcon
            ref={button}
            variant="subtle"
            aria-label={t('card.edit', { title })}
            title={t('card.edit', { title })}
            onClick={() => change({ edit: edit.name }, { push: true })}
          >
            <IconPencil size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      {isEdited ? edit.form(() => change({ edit: undefined })) : children}
    </Card>
  );
}

/** Ends an edit that is recorded: its draft is gone, and the card shows its content again. */
export function useEndOfEdit(draft: { readonly discard: () => void }, onClose: () => void): () => void {
  const { t } = useTranslation('person');
  return () => {
    draft.discard();
    notifications.show({ message: t('edit.done'), color: 'teal' });
    onClose();
  };
}

/** The form in a card. Its first field has the focus; Escape closes it. */
export function CardForm(properties: Omit<FormProperties, 'submit'>) {
  const { t } = useTranslation('person');
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), []);
  return (
    <FormContent
      {...properties}
      label={properties.title}
      submit={t('edit.submit')}
      form={form}
      onKeyDown={(event) => {
        // A list of options closes first.
        if (event.key === 'Escape' && !event.defaultPrevented) properties.onCancel();
      }}
    />
  );
}
