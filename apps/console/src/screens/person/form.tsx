import { Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { type Difference, LostRace } from '../../ui/lost-race.js';
import { RestoredDraft } from '../../ui/restored-draft.js';
import { Failure } from '../../ui/states.js';
import classes from './form.module.css';

interface FormProperties {
  readonly title: string;
  readonly explanation: string;
  /** The verb on the submit button. */
  readonly submit: string;
  readonly isReady: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Concurrent changes by another user while the form was open; null if there are none. */
  readonly lost: readonly Difference[] | null;
  /** What was typed before; absent for a form whose content is not kept. */
  readonly draft?: { readonly isRestored: boolean; readonly discard: () => void };
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/**
 * A form about a person. It sends its content at the time of submission. Its draft is gone once the user
 * cancels with the button; a click elsewhere keeps it.
 */
export function Form({
  title,
  explanation,
  submit,
  isReady,
  isPending,
  error,
  lost,
  draft,
  onSubmit,
  onCancel,
  children,
}: FormProperties) {
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  const cancel = (): void => {
    draft?.discard();
    onCancel();
  };
  return (
    <Dialog onClose={onCancel} title={title} size="lg">
      <form onSubmit={send}>
        <Stack>
          <Text size="sm" c="dimmed">
            {explanation}
          </Text>
          {draft?.isRestored === true && <RestoredDraft onDiscard={draft.discard} />}
          {lost !== null && <LostRace differences={lost} />}
          {error !== null && <Failure error={error} />}
          <fieldset disabled={isPending} className={classes.fields}>
            <Stack>{children}</Stack>
          </fieldset>
          <FormButtons action={submit} isPending={isPending} isDisabled={!isReady} onClose={cancel} />
        </Stack>
      </form>
    </Dialog>
  );
}

interface DayFieldProperties {
  readonly label: string;
  readonly value: string;
  /** The earliest day that can be chosen. */
  readonly min?: string | undefined;
  readonly error: string | undefined;
  readonly onChange: (day: string) => void;
}

/** A field for a day. */
export function DayField({ label, value, min, error, onChange }: DayFieldProperties) {
  return (
    <TextInput
      type="date"
      label={label}
      required
      value={value}
      min={min}
      error={error}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
