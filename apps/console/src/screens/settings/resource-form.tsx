import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { WorkforceError } from '@workforce-hr/client';
import { type Dispatch, type FormEvent, type ReactNode, type SetStateAction, useState } from 'react';
import { mayHaveChanged, useWrite } from '../../data/use-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { type Difference, LostRace } from '../../ui/lost-race.js';
import { Failure } from '../../ui/states.js';
import type { Base, FieldFacts, FormName, Values } from './facts.js';
import { type Controls, Fields, isComplete, valueText } from './fields.js';
import { fieldLabel, useTexts } from './texts.js';

/** The headers of a write; without `If-Match` for a new resource. */
export type WriteHeaders = { readonly 'Idempotency-Key': string } & Readonly<Record<string, string>>;

interface FormState {
  readonly values: Values;
  readonly base: Base;
  /** Changes of another user while the form was open; null if there are none. */
  readonly lost: readonly Difference[] | null;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** Whether anything differs from the base. */
  readonly isChanged: boolean;
  readonly setValues: Dispatch<SetStateAction<Values>>;
  readonly send: () => void;
}

interface FormOptions<Result> {
  readonly form: FormName;
  readonly fields: readonly FieldFacts[];
  readonly base: Base;
  /** Reads the resource again after a lost race; absent for a new one. */
  readonly reread?: () => Promise<Base>;
  /** Sends the fields of a new resource, or those that differ from the base. */
  readonly write: (values: Values, headers: WriteHeaders) => Promise<Result>;
  readonly onSuccess: (result: Result) => void;
}

/**
 * The state of a form over the facts of its fields. A change names the entity tag of its base: after a change
 * by another user it is not written, and the form continues from that change with the user's own input.
 */
export function useResourceForm<Result>(options: FormOptions<Result>): FormState {
  const { form, fields, reread, write, onSuccess } = options;
  const t = useTexts();
  const queryClient = useQueryClient();
  const [base, setBase] = useState(options.base);
  const [values, setValues] = useState(options.base.values);
  const [lost, setLost] = useState<readonly Difference[] | null>(null);
  const isNew = base.entityTag === null;
  const differs = ({ name }: FieldFacts): boolean => JSON.stringify(values[name]) !== JSON.stringify(base.values[name]);
  const sent = Object.fromEntries(
    fields
      .filter((field) => (isNew ? (values[field.name] ?? null) !== null || field.is_nullable : differs(field)))
      .map(({ name }) => [name, values[name]]),
  );
  const mutation = useWrite(
    async ({ input, tag }: { readonly input: Values; readonly tag: string | null }, headers) => {
      try {
        return await write(input, tag === null ? headers : { ...headers, 'If-Match': tag });
      } catch (error) {
        if (isLostRace(error) && reread !== undefined) {
          const current = await reread();
          const theirs = fields.filter(
            ({ name }) => JSON.stringify(current.values[name]) !== JSON.stringify(base.values[name]),
          );
          setLost(
            theirs.map((field) => ({
              what: fieldLabel(t, form, field.name),
              before: valueText(t, field.name, base.values[field.name]),
              after: valueText(t, field.name, current.values[field.name]),
            })),
          );
          setValues({ ...current.values, ...input });
          setBase(current);
          await queryClient.invalidateQueries({ predicate: mayHaveChanged });
        }
        throw error;
      }
    },
    { onSuccess },
  );
  return {
    values,
    base,
    lost,
    error: isLostRace(mutation.error) ? null : mutation.error,
    isPending: mutation.isPending,
    isChanged: isNew || fields.some(differs),
    setValues,
    send: () => mutation.mutate({ input: sent, tag: base.entityTag }),
  };
}

const isLostRace = (error: unknown): boolean => error instanceof WorkforceError && error.code === 'precondition_failed';

interface ResourceFormProperties<Result> extends FormOptions<Result> {
  readonly title: string;
  readonly explanation?: string;
  /** The verb on the submit button. */
  readonly action: string;
  readonly controls?: Controls;
  readonly size?: string;
  readonly onClose: () => void;
  /** Below the fields, of the values as they are typed. */
  readonly children?: (values: Values, base: Base, setValues: FormState['setValues']) => ReactNode;
}

/** The form of a resource, in a dialog. */
export function ResourceForm<Result>(properties: ResourceFormProperties<Result>) {
  const { form, fields, title, explanation, action, controls, size = 'md', onClose, children } = properties;
  const state = useResourceForm(properties);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    state.send();
  };
  return (
    <Dialog onClose={onClose} title={title} size={size}>
      <form onSubmit={submit}>
        <Stack>
          {explanation !== undefined && (
            <Text size="sm" c="dimmed">
              {explanation}
            </Text>
          )}
          {state.lost !== null && <LostRace differences={state.lost} />}
          <Fields
            form={form}
            fields={fields}
            values={state.values}
            error={state.error}
            isChange={state.base.entityTag !== null}
            {...(controls === undefined ? {} : { controls })}
            onChange={state.setValues}
          />
          {children?.(state.values, state.base, state.setValues)}
          {state.error !== null && <Failure error={state.error} />}
          <FormButtons
            action={action}
            isPending={state.isPending}
            isDisabled={!isComplete(fields, state.values) || !state.isChanged}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
