import { ActionIcon, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '../../data/address.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { type Difference, LostRace } from '../../ui/lost-race.js';
import { Failure } from '../../ui/states.js';
import classes from './form.module.css';

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

interface CardFormProperties {
  readonly title: string;
  readonly explanation?: string;
  readonly isReady: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Changes by another user while the form was open; null if there are none. */
  readonly lost?: readonly Difference[] | null;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** The form in a card. Its first field has the focus; Escape closes it. */
export function CardForm(properties: CardFormProperties) {
  const { title, explanation, isReady, isPending, error, lost = null, onSubmit, onCancel, children } = properties;
  const { t } = useTranslation('person');
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), []);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) onSubmit();
  };
  return (
    <form
      ref={form}
      aria-label={title}
      onSubmit={send}
      onKeyDown={(event) => {
        // A list of options closes first.
        if (event.key === 'Escape' && !event.defaultPrevented) onCancel();
      }}
    >
      <Stack gap="sm">
        {explanation !== undefined && (
          <Text size="sm" c="dimmed">
            {explanation}
          </Text>
        )}
        {lost !== null && <LostRace differences={lost} />}
        {error !== null && <Failure error={error} />}
        <fieldset disabled={isPending} className={classes.fields}>
          <Stack gap="xs">{children}</Stack>
        </fieldset>
        <FormButtons action={t('edit.submit')} isPending={isPending} isDisabled={!isReady} onClose={onCancel} />
      </Stack>
    </form>
  );
}
