import { Button, Card, Group, Stack, Switch, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useAddress } from '../../data/address.js';
import { client, type Schemas } from '../../data/client.js';
import { usePages } from '../../data/use-pages.js';
import { useWrite } from '../../data/use-write.js';
import { Confirmation } from '../../ui/confirmation.js';
import { ShowMore } from '../../ui/show-more.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Empty, Reading } from '../../ui/states.js';
import { WideTable } from '../../ui/wide-table.js';
import { BalancePreview } from './balance-preview.js';
import { type FieldFacts, initialOf, useFields, type Values } from './facts.js';
import { valueText } from './fields.js';
import { ResourceForm } from './resource-form.js';
import classes from './settings.module.css';
import { useTexts } from './texts.js';

type Category = Schemas['TimeOffCategoryResponse'];

const PAGE_SIZE = 200;

/** The kinds of time off: what they use up, who approves them, and how much a year has of them. */
export function Categories() {
  const t = useTexts();
  const [{ all }, change] = useAddress<{ all?: string }>();
  const [edited, setEdited] = useState<Category | 'new' | null>(null);
  const [archived, setArchived] = useState<Category | null>(null);
  const list = usePages(['time-off', 'categories'], (after) =>
    answerOf(client.GET('/time-off/categories', { params: { query: { limit: PAGE_SIZE, ...after } } })),
  );
  const rows = list.items.filter(({ is_active: isActive }) => isActive || all === 'true');
  const isEmpty = list.isSuccess && list.items.length === 0;
  const add = (
    <Button variant={isEmpty ? 'filled' : 'default'} onClick={() => setEdited('new')}>
      {t('kinds.time-off-categories.add')}
    </Button>
  );
  return (
    <Stack>
      <Text size="sm" c="dimmed" maw={640}>
        {t('kinds.time-off-categories.purpose')}
      </Text>
      {!isEmpty && (
        <Group>
          {add}
          <Switch
            label={t('list.withArchived')}
            checked={all === 'true'}
            onChange={({ target }) => change({ all: target.checked ? 'true' : undefined })}
          />
        </Group>
      )}
      <Reading of={t('kinds.time-off-categories.many')} query={list} />
      {isEmpty && (
        <Empty title={t('kinds.time-off-categories.none')}>
          <Stack align="center">
            {t('kinds.time-off-categories.noneYet')}
            {add}
          </Stack>
        </Empty>
      )}
      {rows.length > 0 && (
        <Card withBorder padding={0}>
          <WideTable
            label={t('parts.time-off-categories')}
            heads={[
              t('fields.time-off-categories.label'),
              t('fields.time-off-categories.annual_allowance_minutes'),
              t('fields.time-off-categories.requires_approval'),
              t('fields.time-off-categories.deducts_balance'),
              t('list.actions'),
            ]}
            minWidth={640}
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
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('list.editOf', { name: row.label })}
                        onClick={() => setEdited(row)}
                      >
                        {t('list.edit')}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('list.archiveOf', { name: row.label })}
                        onClick={() => setArchived(row)}
                      >
                        {t('list.archive')}
                      </Button>
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </WideTable>
        </Card>
      )}
      <ShowMore of={list} />
      {edited !== null && <CategoryForm category={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      {archived !== null && <ArchiveCategory category={archived} onClose={() => setArchived(null)} />}
    </Stack>
  );
}

function ArchiveCategory({ category, onClose }: { readonly category: Category; readonly onClose: () => void }) {
  const t = useTexts();
  const write = useWrite(
    (categoryId: string, header) =>
      answerOf(client.POST('/time-off/categories/{categoryId}/archive', { params: { path: { categoryId }, header } })),
    { onSuccess: onClose },
  );
  return (
    <Confirmation
      title={t('list.archiveQuestion', { name: category.label })}
      action={t('list.archive')}
      write={{ isPending: write.isPending, error: write.error, mutate: () => write.mutate(category.id) }}
      onClose={onClose}
    >
      {t('categories.archiveEffect')}
    </Confirmation>
  );
}

/** The fields of a row that a form has. */
export function valuesOf(fields: readonly FieldFacts[], row: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name]]));
}

/** The values that differ. */
export function changesOf(values: Values, base: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== base[name]));
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
  const base = useQuery({
    queryKey: ['time-off', 'categories', category?.id ?? 'new', 'form'],
    queryFn: async () => (category === null ? { values: initialOf(fields), entityTag: null } : await read()),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (base.data === undefined) return <Reading of={t('kinds.time-off-categories.many')} query={base} />;
  return (
    <ResourceForm
      form="time-off-categories"
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
