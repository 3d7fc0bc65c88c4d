import { Stack } from '@mantine/core';
import type { Dispatch, FormEvent, ReactNode, SetStateAction } from 'react';
import { changesOf } from '../../data/changes-of.js';
import { useDraft } from '../../data/use-draft.js';
import { type Tagged, useBased, useTaggedWrite } from '../../data/use-tagged-write.js';
import { Dialog } from '../../ui/dialog.js';
import { FormButtons } from '../../ui/form-buttons.js';
import { type Difference, LostRace } from '../../ui/lost-race.js';
import { RestoredDraft } from '../../ui/restored-draft.js';
import { Failure } from '../../ui/states.js';
import { type Base, type FieldFacts, type FormName, type Values, valuesOf } from './facts.js';
import { type Controls, Fields, isComplete, valueText } from './fields.js';
import { fieldLabel, type Translate, useTexts } from './texts.js';

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
  readonly draft: { readonly isRestored: boolean; readonly discard: () => void };
  readonly send: () => void;
}

interface FormOptions<Result> {
  readonly form: FormName;
  readonly fields: readonly FieldFacts[];
  /** Names the resource for the draft of the form; `new` for a new one. */
  readonly id: string;
  readonly base: Base;
  /** Reads the resource again after a lost race; absent for a new one. */
  readonly reread?: () => Promise<Base>;
  /** Sends the fields of a new resource, or those that differ from the base. */
  readonly write: (values: Values, headers: WriteHeaders) => Promise<Result>;
  readonly onSuccess: (result: Result) => void;
}

/**
 * The state of a form over the facts of its fields. A change names the entity tag of its base: after a change
 * by another user it is not written, and the form continues from that change with the user's own input, which is
 * kept as a draft.
 */
export function useResourceForm<Result>(options: FormOptions<Result>): FormState {
  const { form, fields, id, reread, write, onSuccess } = options;
  const t = useTexts();
  const based = useBased(taggedOf(options.base), async () => taggedOf(await reread!()));
  const base: Base = { values: based.answer.data, entityTag: based.answer.entityTag };
  const draft = useDraft<{ readonly typed: Values }>(`settings.${form}.${id}`, { typed: {} });
  const { typed } = draft.content;
  const values = { ...base.values, ...typed };
  const isNew = base.entityTag === null;
  const changed = changesOf(valuesOf(fields, values), base.values);
  const created = Object.fromEntries(
    fields
      .filter(({ name, is_nullable: isNullable }) => (values[name] ?? null) !== null || isNullable)
      .map(({ name }) => [name, values[name]]),
  );
  const mutation = useTaggedWrite(
    based,
    (input: Values, { 'If-Match': tag, ...headers }) => write(input, isNew ? headers : { ...headers, 'If-Match': tag }),
    (result) => {
      draft.discard();
      onSuccess(result);
    },
  );
  return {
    values,
    base,
    lost: based.overtaken === null ? null : differencesOf(t, form, valuesOf(fields, base.values), based.overtaken),
    error: mutation.error,
    isPending: mutation.isPending,
    isChanged: isNew || Object.keys(changed).length > 0,
    setValues: (next) =>
      draft.change((former) => {
        const shown = { ...base.values, ...former.typed };
        return { typed: changesOf(typeof next === 'function' ? next(shown) : next, base.values) };
      }),
    draft,
    send: () => mutation.send(isNew ? created : changed),
  };
}

const taggedOf = ({ values, entityTag }: Base): Tagged<Values> => ({ data: values, entityTag });

/** What another user has changed. */
function differencesOf(t: Translate, form: FormName, after: Values, before: Values): readonly Difference[] {
  return Object.entries(changesOf(after, before)).map(([name, value]) => ({
    what: fieldLabel(t, form, name),
    before: valueText(t, name, before[name]),
    after: valueText(t, name, value),
  }));
}

interface ResourceFormProperties<Result> extends FormOptions<Result> {
  readonly title: string;
  /** The verb on the submit button. */
  readonly action: string;
  readonly controls?: Controls;
  readonly size?: string;
  readonly onClose: () => void;
  /** Below the fields, of the values as they are typed. */
  readonly children?: (values: Values, base: Base, setValues: FormState['setValues']) => ReactNode;
}

interface FormBodyProperties {
  readonly form: FormName;
  readonly fields: readonly FieldFacts[];
  readonly state: FormState;
  readonly controls?: Controls;
  /** Between the fields and a failure. */
  readonly children?: ReactNode;
  /** The buttons at the end. */
  readonly buttons: ReactNode;
}

/** The form of a resource: changes of another user, the fields, a failure, and the buttons. */
export function FormBody({ form, fields, state, controls = {}, children, buttons }: FormBodyProperties) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    state.send();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {state.draft.isRestored && <RestoredDraft onDiscard={state.draft.discard} />}
        {state.lost !== null && <LostRace differences={state.lost} />}
        <Fields
          form={form}
          fields={fields}
          values={state.values}
          error={state.error}
          isChange={state.base.entityTag !== null}
          controls={controls}
          onChange={state.setValues}
        />
        {children}
        {state.error !== null && <Failure error={state.error} />}
        {buttons}
      </Stack>
    </form>
  );
}

/** The form of a resource, in a dialog. */
export function ResourceForm<Result>(properties: ResourceFormProperties<Result>) {
  const { form, fields, title, action, controls = {}, size = 'md', onClose, children } = properties;
  const state = useResourceForm(properties);
  return (
    <Dialog onClose={onClose} title={title} size={size}>
      <FormBody
        {...{ form, fields, state, controls }}
        buttons={
          <FormButtons
            action={action}
            isPending={state.isPending}
            isDisabled={!isComplete(fields, state.values) || !state.isChanged}
            onClose={() => {
              state.draft.discard();
              onClose();
            }}
          />
        }
      >
        {children?.(state.values, state.base, state.setValues)}
      </FormBody>
    </Dialog>
  );
}
