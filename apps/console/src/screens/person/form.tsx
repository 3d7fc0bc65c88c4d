import { Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent, KeyboardEvent, ReactNode, Ref } from 'react';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { type Difference, LostRace } from '../../ui/lost-race.js';
import { RestoredDraft } from '../../ui/restored-draft.js';
import { Failure } from '../../ui/states.js';
import classes from './form.module.css';

/** What a form about a person is made of. */
export interface FormProperties {
  readonly title: string;
  readonly explanation?: string;
  /** The verb on the submit button. */
  readonly submit: string;
  readonly isReady: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Concurrent changes by another user while the form was open; null if there are none. */
  readonly lost?: readonly Difference[] | null;
  /** What was typed before; absent for a form whose content is not kept. */
  readonly draft?: { readonly isRestored: boolean; readonly discard: () => void };
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** A form about a person, in a dialog. A click elsewhere keeps its draft. */
export function Form(properties: FormProperties) {
  return (
    <Dialog onClose={properties.onCancel} title={properties.title} size="lg">
      <FormContent {...properties} />
    </Dialog>
  );
}

interface FormContentProperties extends FormProperties {
  /** Its name for screen readers, where no dialog has it. */
  readonly label?: string;
  readonly form?: Ref<HTMLFormElement>;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/**
 * The form element. It sends its content at the time of submission. Its draft is gone once the user cancels with
 * the button.
 */
export function FormContent(properties: FormContentProperties) {
  const { label, explanation, submit, isReady, isPending, error, lost = null, draft, children } = properties;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) properties.onSubmit();
  };
  const cancel = (): void => {
    draft?.discard();
    properties.onCancel();
  };
  return (
    <form ref={properties.form} aria-label={label} onSubmit={send} onKeyDown={properties.onKeyDown}>
      <Stack>
        {explanation !== undefined && (
          <Text size="sm" c="dimmed">
            {explanation}
          </Text>
        )}
        {draft?.isRestored === true && <RestoredDraft onDiscard={draft.discard} />}
        {lost !== null && <LostRace differences={lost} />}
        {error !== null && <Failure error={error} />}
        <fieldset disabled={isPending} className={classes.fields}>
          <Stack>{children}</Stack>
        </fieldset>
        <FormButtons action={submit} isPending={isPending} isDisabled={!isReady} onClose={cancel} />
      </Stack>
    </form>
  );
}

interface DayFieldProperties {
  readonly label: string;
  readonly value: string;
  /** The earliest day that can be chosen. */
  readonly min?: string | undefined;
  /** Whether the day may be left empty. */
  readonly isOptional?: boolean;
  readonly error: string | undefined;
  readonly onChange: (day: string) => void;
}

/** A field for a day. */
export function DayField({ label, value, min, isOptional = false, error, onChange }: DayFieldProperties) {
  return (
    <TextInput
      type="date"
      label={label}
      required={!isOptional}
      value={value}
      min={min}
      error={error}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
