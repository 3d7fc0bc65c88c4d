import { Group, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { readFromConsole } from '../../data/session.js';
import { useWrite } from '../../data/use-write.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Failure } from '../../ui/states.js';
import { baseOf, type FormName, initialOf, type SettingsRow, useFields, writeSetting } from './facts.js';
import type { Controls } from './fields.js';
import { ResourceForm } from './resource-form.js';
import { RowButton, SettingsList, useArchived } from './settings-list.js';
import { useTexts } from './texts.js';
import { onceOnly, useUndo } from '../../ui/use-undo.js';

type ListKind = 'locations' | 'work-places' | 'work-types' | 'document-types' | 'custom-fields';

/** A column of a list. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
}

interface ResourceListProperties<Row> {
  /** The part of the route that names the kind, and of the keys of its texts. */
  readonly kind: ListKind;
  /** The list of fields; the texts of the kind by default. */
  readonly form: FormName;
  readonly columns: readonly Column<Row>[];
  readonly nameOf: (row: Row) => string;
  /** Whether rows are archived and reactivated. */
  readonly isArchivable?: boolean;
  readonly minWidth?: number;
  readonly controls?: Controls;
}

/** A kind of resource in the settings: its rows, a form for each, and the archive with its undoing. */
export function ResourceList<Row extends SettingsRow>(properties: ResourceListProperties<Row>) {
  const { kind, form, columns, nameOf, isArchivable = true, minWidth = 480, controls } = properties;
  const t = useTexts();
  const [isWithArchived] = useArchived();
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const list = useQuery({
    queryKey: ['settings', kind],
    queryFn: () => readFromConsole<readonly Row[]>(`/console/product-settings/${kind}`),
  });
  const rows = (list.data ?? []).filter(({ is_active: isActive = true }) => isActive || isWithArchived);
  return (
    <Stack>
      <SettingsList
        {...{ kind, minWidth, isArchivable }}
        label={t(`kinds.${kind}.title`)}
        heads={columns.map(({ head }) => head)}
        query={list}
        isEmpty={list.isSuccess && list.data.length === 0}
        onAdd={() => setEdited('new')}
      >
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            {columns.map(({ head, cell }, index) => (
              <Table.Td key={head}>
                {cell(row)}
                {index === 0 && row.is_active === false && <StateBadge tone="quiet">{t('list.archived')}</StateBadge>}
              </Table.Td>
            ))}
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <RowButton label={t('list.editOf', { name: nameOf(row) })} onClick={() => setEdited(row)}>
                  {t('list.edit')}
                </RowButton>
                {isArchivable && <Archive kind={kind} row={row} name={nameOf(row)} />}
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </SettingsList>
      {edited !== null && (
        <EditResource
          {...{ kind, form, nameOf }}
          {...(controls === undefined ? {} : { controls })}
          row={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </Stack>
  );
}

interface EditProperties<Row> extends Pick<ResourceListProperties<Row>, 'kind' | 'form' | 'nameOf' | 'controls'> {
  /** Null for a new one. */
  readonly row: Row | null;
  readonly onClose: () => void;
}

function EditResource<Row extends SettingsRow>({ kind, form, nameOf, controls, row, onClose }: EditProperties<Row>) {
  const t = useTexts();
  const fields = useFields(form);
  const path = row === null ? kind : `${kind}/${row.id}`;
  return (
    <ResourceForm
      {...{ form, fields, onClose }}
      id={row === null ? `new ${kind}` : row.id}
      {...(controls === undefined ? {} : { controls })}
      title={row === null ? t(`kinds.${kind}.new`) : t('list.editOf', { name: nameOf(row) })}
      action={row === null ? t('form.create') : t('form.save')}
      base={row === null ? { values: initialOf(fields), entityTag: null } : baseOf(row)}
      reread={async () => baseOf(await readFromConsole<Row>(`/console/product-settings/${path}`))}
      write={(values, headers) => writeSetting(row === null ? 'POST' : 'PATCH', path, values, headers)}
      onSuccess={onClose}
    />
  );
}

/** Archives a row, which can be undone, or reactivates it. */
function Archive({ kind, row, name }: { readonly kind: string; readonly row: SettingsRow; readonly name: string }) {
  const t = useTexts();
  const undo = useUndo();
  const isActive = row.is_active !== false;
  const send = (step: string): Promise<unknown> => writeSetting('POST', `${kind}/${row.id}/${step}`, {}, onceOnly());
  const write = useWrite((step: string) => send(step), {
    onSuccess: (_, step) => {
      if (step === 'archive') undo(t('list.archivedNow', { name }), () => send('reactivate'));
    },
  });
  const step = isActive ? 'archive' : 'reactivate';
  return (
    <>
      <RowButton label={t(`list.${step}Of`, { name })} isPending={write.isPending} onClick={() => write.mutate(step)}>
        {t(`list.${step}`)}
      </RowButton>
      {write.isError && <Failure error={write.error} />}
    </>
  );
}
