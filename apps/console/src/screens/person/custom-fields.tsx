import { NativeSelect, NumberInput, Switch, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type Answer, answerOf } from '@workforce-hr/client';
import i18next from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';
import { numberText } from '../../data/locale.js';
import { useMay } from '../../data/session.js';
import { useBased, useTaggedWrite } from '../../data/use-tagged-write.js';
import type { Difference } from '../../ui/lost-race.js';
import { Reading } from '../../ui/states.js';
import { CardForm, Section } from './card.js';
import { Definitions } from '../../ui/definitions.js';

type Values = Schemas['PersonCustomFieldsResponse'];
type Value = Values['values'][number]['value'];
type Definition = Schemas['CustomFieldResponse'];

const read = (personId: string) =>
  answerOf(client.GET('/people/{personId}/custom-fields', { params: { path: { personId } } }));

/** The values of a person in the organisation's own fields. */
export function CustomFields({ personId }: { readonly personId: string }) {
  const { t } = useTranslation('person');
  const may = useMay('custom_fields:read');
  const mayWrite = useMay('custom_fields:read', 'custom_fields:write');
  const values = useQuery({
    queryKey: ['people', personId, 'custom-fields'],
    queryFn: () => read(personId),
    enabled: may,
  });
  const definitions = useQuery({
    queryKey: ['custom-fields', 'all'],
    queryFn: () => answerOf(client.GET('/custom-fields')),
    enabled: may,
  });
  if (!may) return null;
  const answer = values.data;
  const byId = new Map((definitions.data?.data ?? []).map((one) => [one.id, one]));
  const canWrite = mayWrite && [...byId.values()].some(({ api_access: access }) => access === 'read_write');
  return (
    <Section
      title={t('customFields.title')}
      edit={
        canWrite && answer !== undefined
          ? {
              name: 'custom-fields',
              form: (close) => <EditValues {...{ personId, answer, byId }} onClose={close} />,
            }
          : undefined
      }
    >
      <Reading of={t('customFields.reading')} query={values} />
      {answer?.data.values.length === 0 && <Text c="dimmed">{t('customFields.none')}</Text>}
      {answer !== undefined && answer.data.values.length > 0 && (
        <Definitions
          label={t('customFields.title')}
          rows={answer.data.values.map(({ field_id: id, key, value }) => [
            byId.get(id)?.label ?? key,
            valueText(byId.get(id), value),
          ])}
        />
      )}
    </Section>
  );
}

function valueText(definition: Definition | undefined, value: Value): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return i18next.t(value ? 'yes' : 'no');
  if (typeof value === 'number') return numberText(value, 10);
  if (definition?.field_type === 'date') return shortDayText(value);
  return definition?.options.find((option) => option.value === value)?.label ?? value;
}

/** What another user has changed. */
function differencesOf(byId: ReadonlyMap<string, Definition>, before: Values, after: Values): readonly Difference[] {
  const former = new Map(before.values.map(({ field_id: id, value }) => [id, value]));
  return after.values
    .filter(({ field_id: id, value }) => value !== (former.get(id) ?? null))
    .map(({ field_id: id, key, value }) => ({
      what: byId.get(id)?.label ?? key,
      before: valueText(byId.get(id), former.get(id) ?? null) ?? '–',
      after: valueText(byId.get(id), value) ?? '–',
    }));
}

interface EditValuesProperties {
  readonly personId: string;
  readonly answer: Answer<{ readonly data: Values }>;
  readonly byId: ReadonlyMap<string, Definition>;
  readonly onClose: () => void;
}

/** The fields that may be written; the others are managed by other programs. */
function EditValues({ personId, answer, byId, onClose }: EditValuesProperties) {
  const { t } = useTranslation('person');
  const based = useBased(answer, () => read(personId));
  const [typed, setTyped] = useState<Readonly<Record<string, Value>>>({});
  const stored = new Map(based.answer.data.values.map(({ field_id: id, value }) => [id, value]));
  const changed = Object.entries(typed).filter(([id, value]) => value !== (stored.get(id) ?? null));
  const write = useTaggedWrite(
    based,
    (values: Schemas['UpdatePersonCustomFieldsRequest']['values'], header) =>
      answerOf(
        client.PATCH('/people/{personId}/custom-fields', { params: { path: { personId }, header }, body: { values } }),
      ),
    () => {
      notifications.show({ message: t('edit.done'), color: 'teal' });
      onClose();
    },
  );
  const writable = [...byId.values()].filter(({ id, api_access: access }) => access === 'read_write' && stored.has(id));
  return (
    <CardForm
      title={t('customFields.title')}
      isReady={changed.length > 0}
      isPending={write.isPending}
      error={write.error}
      lost={based.overtaken === null ? null : differencesOf(byId, based.overtaken, based.answer.data)}
      onSubmit={() => write.send(changed.map(([field_id, value]) => ({ field_id, value })))}
      onCancel={onClose}
    >
      {writable.map((field) => (
        <Control
          key={field.id}
          field={field}
          value={typed[field.id] === undefined ? (stored.get(field.id) ?? null) : typed[field.id]!}
          onChange={(value) => setTyped({ ...typed, [field.id]: value })}
        />
      ))}
    </CardForm>
  );
}

interface ControlProperties {
  readonly field: Definition;
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
          data={[
            { value: '', label: t('customFields.noChoice') },
            ...field.options.map((option) => ({ value: option.value, label: option.label })),
          ]}
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
