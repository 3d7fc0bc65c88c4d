import { Code, Group, Select, Stack, Table, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client } from '../../data/client.js';
import { dateTimeFormat } from '../../data/days.js';
import { readFromConsole, readPageFromConsole } from '../../data/session.js';
import { useNames } from '../../data/use-names.js';
import { usePages } from '../../data/use-pages.js';
import { Named } from '../../ui/named.js';
import { useWrite } from '../../data/use-write.js';
import { PersonSelect } from '../../ui/person-select.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import { Failure } from '../../ui/states.js';
import { baseOf, initialOf, type SettingsRow, useFields, type Values, writeSetting } from './facts.js';
import type { ControlProperties } from './fields.js';
import { ResourceForm } from './resource-form.js';
import { RowButton, SettingsList } from './settings-list.js';
import { choiceText, useTexts } from './texts.js';
import { onceOnly, useUndo } from '../../ui/use-undo.js';

interface Mapping extends SettingsRow {
  readonly provider_name: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly external_id: string;
  readonly status: 'pending' | 'active' | 'error' | 'disabled';
  readonly last_synced_at: string | null;
}

const KIND = 'provider-mappings';
const TONES: Readonly<Record<Mapping['status'], Tone>> = {
  pending: 'watch',
  active: 'good',
  error: 'bad',
  disabled: 'quiet',
};

/** The ids that other systems use for people and other resources. */
export function ProviderMappings() {
  const t = useTexts();
  const [edited, setEdited] = useState<Mapping | 'new' | null>(null);
  const list = usePages<Mapping>(['settings', KIND], ({ cursor }) =>
    readPageFromConsole(`/console/product-settings/${KIND}`, {
      limit: '100',
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
  const names = useNames(list.items.map(({ resource_id: id }) => id));
  return (
    <Stack>
      <SettingsList
        kind={KIND}
        label={t('parts.provider-mappings')}
        heads={[
          t('fields.provider-mappings.provider_name'),
          t('fields.provider-mappings.resource_type'),
          t('fields.provider-mappings.resource_id'),
          t('fields.provider-mappings.external_id'),
          t('fields.provider-mappings.status'),
          t('fields.provider-mappings.last_synced_at'),
        ]}
        minWidth={760}
        query={list}
        isEmpty={list.isSuccess && list.items.length === 0}
        isArchivable={false}
        onAdd={() => setEdited('new')}
      >
        {list.items.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td>{row.provider_name}</Table.Td>
            <Table.Td>{choiceText(t, 'resource_type', row.resource_type)}</Table.Td>
            <Table.Td>
              {row.resource_type === 'person' ? (
                <ScreenLink to={`/people/${row.resource_id}`} size="sm">
                  <Named id={row.resource_id} names={names} />
                </ScreenLink>
              ) : (
                <Named id={row.resource_id} names={names} />
              )}
            </Table.Td>
            <Table.Td>
              <Code>{row.external_id}</Code>
            </Table.Td>
            <Table.Td>
              <StateBadge tone={TONES[row.status]}>{choiceText(t, 'status', row.status)}</StateBadge>
            </Table.Td>
            <Table.Td>{row.last_synced_at === null ? t('values.never') : dateTimeFormat(row.last_synced_at)}</Table.Td>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <RowButton label={t('list.editOf', { name: row.external_id })} onClick={() => setEdited(row)}>
                  {t('list.edit')}
                </RowButton>
                <Remove row={row} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </SettingsList>
      <ShowMore of={list} />
      {edited !== null && <MappingForm row={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Stack>
  );
}

/** Removes a mapping; undoing it makes the same one again. */
function Remove({ row }: { readonly row: Mapping }) {
  const t = useTexts();
  const undo = useUndo();
  const write = useWrite((id: string) => writeSetting('POST', `${KIND}/${id}/remove`, {}, onceOnly()), {
    onSuccess: () =>
      undo(t('mappings.removed', { name: row.external_id }), () => {
        const { provider_name, resource_type, resource_id, external_id, status, last_synced_at } = row;
        const body = { provider_name, resource_type, resource_id, external_id, status, last_synced_at };
        return writeSetting('POST', KIND, body, onceOnly());
      }),
  });
  return (
    <>
      <RowButton
        label={t('mappings.removeOf', { name: row.external_id })}
        isPending={write.isPending}
        onClick={() => write.mutate(row.id)}
      >
        {t('mappings.remove')}
      </RowButton>
      {write.isError && <Failure error={write.error} />}
    </>
  );
}

function MappingForm({ row, onClose }: { readonly row: Mapping | null; readonly onClose: () => void }) {
  const t = useTexts();
  // The program that exchanges data sets when it last did.
  const fields = useFields(KIND, ['last_synced_at']);
  const [type, setType] = useState(row?.resource_type ?? 'person');
  const initial: Values = { ...initialOf(fields), resource_type: 'person' };
  const controls = {
    resource_id: (properties: ControlProperties) => <ResourceControl {...properties} type={type} />,
    resource_type: ({ field, label, value, isDisabled, onChange }: ControlProperties) => (
      <Select
        label={label}
        required
        disabled={isDisabled}
        allowDeselect={false}
        data={(field.values ?? []).map((one) => ({ value: one, label: choiceText(t, 'resource_type', one) }))}
        value={value as string}
        onChange={(chosen) => {
          setType(chosen ?? 'person');
          onChange(chosen);
        }}
      />
    ),
  };
  return (
    <ResourceForm
      form={KIND}
      id={row?.id ?? 'new'}
      fields={fields}
      controls={controls}
      title={row === null ? t('kinds.provider-mappings.new') : t('list.editOf', { name: row.external_id })}
      action={row === null ? t('form.create') : t('form.save')}
      base={row === null ? { values: initial, entityTag: null } : baseOf(row)}
      reread={async () => baseOf(await readFromConsole<Mapping>(`/console/product-settings/${KIND}/${row!.id}`))}
      write={(values, headers) =>
        writeSetting(row === null ? 'POST' : 'PATCH', row === null ? KIND : `${KIND}/${row.id}`, values, headers)
      }
      onSuccess={onClose}
      onClose={onClose}
    />
  );
}

/** The resources of a kind that a list offers; others are named by their id. */
const LISTS: Readonly<Record<string, () => Promise<readonly { readonly id: string; readonly name: string }[]>>> = {
  org_unit: async () => (await answerOf(client.GET('/org-units'))).data,
  working_pattern: async () => named((await answerOf(client.GET('/working-patterns'))).data),
  location: async () => named((await answerOf(client.GET('/organisation/locations'))).data),
  work_place: async () => named((await answerOf(client.GET('/reference/work-places'))).data),
  work_type: async () => named((await answerOf(client.GET('/reference/work-types'))).data),
  document_type: async () => named((await answerOf(client.GET('/reference/document-types'))).data),
  time_off_category: async () => named((await answerOf(client.GET('/reference/time-off-categories'))).data),
};

function named(rows: readonly { readonly id: string; readonly label: string }[]) {
  return rows.map(({ id, label }) => ({ id, name: label }));
}

function ResourceControl({ type, ...properties }: ControlProperties & { readonly type: string }) {
  const { label, value, error, isDisabled, onChange } = properties;
  const list = LISTS[type];
  const found = useQuery({
    queryKey: ['settings', 'mapped', type],
    queryFn: () => list!(),
    enabled: list !== undefined && !isDisabled,
  });
  const common = { label, error, disabled: isDisabled, required: true };
  if (type === 'person' && !isDisabled)
    return <PersonSelect {...common} value={value as string | null} valueName={null} onChange={onChange} />;
  if (list !== undefined && !isDisabled)
    return (
      <Select
        {...common}
        searchable
        data={(found.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={value as string | null}
        onChange={onChange}
      />
    );
  return (
    <TextInput {...common} value={(value as string | null) ?? ''} onChange={({ target }) => onChange(target.value)} />
  );
}
