import { NativeSelect, NumberInput, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';
import { numberText } from '../../data/locale.js';
import { request, useMay } from '../../data/session.js';
import { useDraft } from '../../data/use-draft.js';
import { readTagged, type Tagged, useBased, useTaggedWrite } from '../../data/use-tagged-write.js';
import type { Difference } from '../../ui/lost-race.js';
import { Reading } from '../../ui/states.js';
import { CardForm, Section, useEndOfEdit } from './card.js';
import { Definitions } from '../../ui/definitions.js';

/** A value of a person, with what a form needs of its field. */
interface FieldValue extends Pick<Schemas['CustomFieldResponse'], 'label' | 'description' | 'is_required'> {
  readonly field_id: string;
  readonly field_type: Schemas['CustomFieldResponse']['field_type'];
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: Value;
}
type Value = Schemas['PersonCustomFieldsResponse']['values'][number]['value'];
interface Values {
  readonly values: readonly FieldValue[];
}

const pathOf = (personId: string): string => `/console/people/${personId}/custom-fields`;
const read = (personId: string): Promise<Tagged<Values>> => readTagged(pathOf(personId));

/** The values of a person in the organisation's own fields, those included that the API may not see or write. */
export function CustomFields({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('person');
  const may = useMay('custom_fields:read');
  const mayWrite = useMay('custom_fields:read', 'custom_fields:write');
  const values = useQuery({
    queryKey: ['people', personId, 'custom-fields'],
    queryFn: () => read(personId),
    enabled: may,
  });
  if (!may) return null;
  const answer = values.data;
  const fields = answer?.data.values ?? [];
  return (
    <Section
      title={t('customFields.title')}
      edit={
        mayWrite && answer !== undefined && fields.length > 0
          ? { name: 'custom-fields', form: (close) => <EditValues {...{ personId, answer }} onClose={close} /> }
          : undefined
      }
    >
      <Reading of={t('customFields.reading')} query={values} />
      {answer !== undefined && fields.length === 0 && <Text c="dimmed">{t('customFields.none')}</Text>}
      {fields.length > 0 && (
        <Definitions
          label={t('customFields.title')}
          rows={fields.map((field) => [field.label, valueText(field, field.value)])}
        />
      )}
    </Section>
  );
}

function valueText({ field_type: type, options }: FieldValue, value: Value): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return i18next.t(value ? 'yes' : 'no');
  if (typeof value === 'number') return numberText(value, 10);
  if (type === 'date') return shortDayText(value);
  return options.find((option) => option.value === value)?.label ?? value;
}

/** What another user has changed. */
function differencesOf(before: Values, after: Values): readonly Difference[] {
  const former = new Map(before.values.map(({ field_id: id, value }) => [id, value]));
  return after.values
    .map((field) => ({ field, was: former.get(field.field_id) ?? null }))
    .filter(({ field, was }) => field.value !== was)
    .map(({ field, was }) => ({
      what: field.label,
      before: valueText(field, was) ?? '–',
      after: valueText(field, field.value) ?? '–',
    }));
}

interface EditValuesProperties {
  readonly personId: string;
  readonly answer: Tagged<Values>;
  readonly onClose: () => void;
}

/** What the user has chosen, by the ids of the fields. */
interface ValuesDraft {
  readonly typed: Readonly<Record<string, Value>>;
}

function EditValues({ personId, answer, onClose }: EditValuesProperties) {
  const { t } = useTranslation('person');
  const based = useBased(answer, () => read(personId));
  const draft = useDraft<ValuesDraft>(`custom-fields.${personId}`, { typed: {} });
  const { typed } = draft.content;
  const fields = based.answer.data.values;
  const stored = new Map(fields.map(({ field_id: id, value }) => [id, value]));
  const changed = Object.entries(typed).filter(([id, value]) => value !== (stored.get(id) ?? null));
  const write = useTaggedWrite(
    based,
    (values: Schemas['UpdatePersonCustomFieldsRequest']['values'], headers) =>
      request('PATCH', pathOf(personId), { values }, { ...headers }),
    useEndOfEdit(draft, onClose),
  );
  return (
    <CardForm
      title={t('customFields.title')}
      isReady={changed.length > 0}
      isPending={write.isPending}
      error={write.error}
      draft={draft}
      lost={based.overtaken === null ? null : differencesOf(based.overtaken, based.answer.data)}
      onSubmit={() => write.send(changed.map(([field_id, value]) => ({ field_id, value })))}
      onCancel={onClose}
    >
      {fields.map((field) => (
        <Control
          key={field.field_id}
          field={field}
          value={typed[field.field_id] === undefined ? field.value : typed[field.field_id]!}
          onChange={(value) => draft.change({ typed: { ...typed, [field.field_id]: value } })}
        />
      ))}
    </CardForm>
  );
}

interface ControlProperties {
  readonly field: FieldValue;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Control({ field, value, onChange }: ControlProperties) {
  const { t } = useTranslation('person');
  const common = { label: field.label, description: field.description ?? undefined, required: field.is_required };
  switch (field.field_type) {
    case 'boolean':
      return <Switch {...common} checked={value === true} onChange={({ target }) => onChange(target.checked)} />;
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : ''}
          onChange={(typed) => onChange(typed === '' ? null : Number(typed))}
        />
      );
    case 'single_select':
      return (
        <NativeSelect
          {...common}
          data={[{ value: '', label: t('customFields.noChoice') }, ...field.options]}
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        />
      );
    default:
      return (
        <TextInput
          {...common}
          type={field.field_type === 'date' ? 'date' : 'text'}
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        />
      );
  }
}
