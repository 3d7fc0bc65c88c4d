import { Group, Stack, Table } from '@mantine/core';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { changesOf } from '../../data/changes-of.js';
import { client, type Schemas } from '../../data/client.js';
import { useFormBase } from '../../data/use-tagged-write.js';
import { usePages } from '../../data/use-pages.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Reading } from '../../ui/states.js';
import { BalancePreview } from './balance-preview.js';
import { initialOf, useFields, valuesOf } from './facts.js';
import { valueText } from './fields.js';
import { ResourceForm } from './resource-form.js';
import classes from './settings.module.css';
import { ArchiveForGood, RowButton, SettingsList, useArchived } from './settings-list.js';
import { useTexts } from './texts.js';

type Category = Schemas['TimeOffCategoryResponse'];

const PAGE_SIZE = 200;

/** The kinds of time off: what they use up, who approves them, and how much a year has of them. */
export function Categories() {
  const t = useTexts();
  const [isWithArchived] = useArchived();
  const [edited, setEdited] = useState<Category | 'new' | null>(null);
  const [archived, setArchived] = useState<Category | null>(null);
  const list = usePages(['time-off', 'categories'], (after) =>
    answerOf(client.GET('/time-off/categories', { params: { query: { limit: PAGE_SIZE, ...after } } })),
  );
  const rows = list.items.filter(({ is_active: isActive }) => isActive || isWithArchived);
  return (
    <Stack>
      <SettingsList
        kind="time-off-categories"
        label={t('parts.time-off-categories')}
        heads={[
          t('fields.time-off-categories.label'),
          t('fields.time-off-categories.annual_allowance_minutes'),
          t('fields.time-off-categories.requires_approval'),
          t('fields.time-off-categories.deducts_balance'),
        ]}
        minWidth={640}
        query={list}
        isEmpty={list.isSuccess && list.items.length === 0}
        onAdd={() => setEdited('new')}
      >
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td>
              <Group gap={8} wrap="nowrap">
                <span className={classes.dot} style={{ background: row.colour ?? 'transparent' }} aria-hidden />
                <span>{row.label}</span>
                {!row.is_active && <StateBadge tone="quiet">{t('list.archived')}</StateBadge>}
              </Group>
            </Table.Td>
            <Table.Td>{valueText(t, 'annual_allowance_minutes', row.annual_allowance_minutes)}</Table.Td>
            <Table.Td>{valueText(t, 'requires_approval', row.requires_approval)}</Table.Td>
            <Table.Td>{valueText(t, 'deducts_balance', row.deducts_balance)}</Table.Td>
            <Table.Td>
              {row.is_active && (
                <Group gap="xs" wrap="nowrap">
                  <RowButton label={t('list.editOf', { name: row.label })} onClick={() => setEdited(row)}>
                    {t('list.edit')}
                  </RowButton>
                  <RowButton label={t('list.archiveOf', { name: row.label })} onClick={() => setArchived(row)}>
                    {t('list.archive')}
                  </RowButton>
                </Group>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </SettingsList>
      <ShowMore of={list} />
      {edited !== null && <CategoryForm category={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {archived !== null && (
        <ArchiveForGood
          name={archived.label}
          effect={t('categories.archiveEffect')}
          archive={(header) =>
            answerOf(
              client.POST('/time-off/categories/{categoryId}/archive', {
                params: { path: { categoryId: archived.id }, header },
              }),
            )
          }
          onClose={() => setArchived(null)}
        />
      )}
    </Stack>
  );
}

function CategoryForm({ category, onClose }: { readonly category: Category | null; readonly onClose: () => void }) {
  const t = useTexts();
  const fields = useFields('time-off-categories');
  const read = async () => {
    const { data, entityTag } = await answerOf(
      client.GET('/time-off/categories/{categoryId}', { params: { path: { categoryId: category!.id } } }),
    );
    return { values: valuesOf(fields, data), entityTag };
  };
  const base = useFormBase(['time-off', 'categories', category?.id ?? 'new'], async () =>
    category === null ? { values: initialOf(fields), entityTag: null } : await read(),
  );
  if (base.data === undefined) return <Reading of={t('kinds.time-off-categories.many')} query={base} />;
  return (
    <ResourceForm
      form="time-off-categories"
      id={category?.id ?? 'new'}
      fields={fields}
      size="lg"
      title={category === null ? t('kinds.time-off-categories.new') : t('list.editOf', { name: category.label })}
      action={category === null ? t('form.create') : t('form.save')}
      base={base.data}
      reread={read}
      write={async (values, header) =>
        category === null
          ? answerOf(
              client.POST('/time-off/categories', {
                params: { header },
                body: values as Schemas['CreateTimeOffCategoryRequest'],
              }),
            )
          : answerOf(
              client.PATCH('/time-off/categories/{categoryId}', {
                params: { path: { categoryId: category.id }, header },
                body: values as Schemas['UpdateTimeOffCategoryRequest'],
              }),
            )
      }
      onSuccess={onClose}
      onClose={onClose}
    >
      {(values, { values: before }) =>
        category !== null && (
          <BalancePreview proposed={{ category: { id: category.id, changes: changesOf(values, before) } }} />
        )
      }
    </ResourceForm>
  );
}
