import { Badge, Button, Card, Group, Kbd, Select, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { useFormBase } from '../../data/use-tagged-write.js';
import { useWrite } from '../../data/use-write.js';
import { PersonSelect } from '../../ui/person-select.js';
import { Empty, Failure, Reading } from '../../ui/states.js';
import { initialOf, useFields } from './facts.js';
import type { ControlProperties } from './fields.js';
import classes from './org-units.module.css';
import { rowAfterKey, rowsOfTree, withBelow } from './org-tree.js';
import { ResourceForm } from './resource-form.js';
import { useArchived, WithArchived } from './settings-list.js';
import { useTexts } from './texts.js';
import { onceOnly, useUndo } from '../../ui/use-undo.js';

type Unit = Schemas['OrgUnitResponse'];
/** A write of one unit; null as `parent` moves it to the top. */
type Step =
  | { readonly type: 'move'; readonly unit: Unit; readonly parent: string | null }
  | { readonly type: 'archive' | 'reactivate'; readonly unit: Unit };

const byId = (id: string) => ({ params: { path: { orgUnitId: id }, header: onceOnly() } });
const archive = (id: string) => answerOf(client.POST('/org-units/{orgUnitId}/archive', byId(id)));
const reactivate = (id: string) => answerOf(client.POST('/org-units/{orgUnitId}/reactivate', byId(id)));
const move = (id: string, parent: string | null) =>
  answerOf(client.PATCH('/org-units/{orgUnitId}', { ...byId(id), body: { parent_id: parent } }));

/** The tree of org units: made, renamed, moved by drag and by keys, and archived. */
export function OrgUnits() {
  const t = useTexts();
  const { t: common } = useTranslation('common');
  const undo = useUndo();
  const [isWithArchived] = useArchived();
  const [form, setForm] = useState<{ readonly unit: Unit | null; readonly parent: string | null } | null>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const [cut, setCut] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const list = useQuery({ queryKey: ['org-units'], queryFn: () => answerOf(client.GET('/org-units')) });
  const every = list.data?.data ?? [];
  const units = every.filter(({ archived_at: archivedAt }) => archivedAt === null || isWithArchived);
  const unit = units.find(({ id }) => id === selected) ?? null;
  const nameOf = (id: string | null): string => every.find((one) => one.id === id)?.name ?? t('units.top');
  const write = useWrite(
    (step: Step): Promise<unknown> =>
      step.type === 'move'
        ? move(step.unit.id, step.parent)
        : (step.type === 'archive' ? archive : reactivate)(step.unit.id),
    {
      onSuccess: (_, step) => {
        const { id, name, parent } = step.unit;
        setCut(null);
        if (step.type === 'move') {
          const message = t('units.moved', { name, parent: nameOf(step.parent) });
          setSaid(message);
          undo(message, () => move(id, parent?.id ?? null));
        } else if (step.type === 'archive') undo(t('list.archivedNow', { name }), () => reactivate(id));
      },
    },
  );
  const moveTo = (id: string, parent: string | null): void => {
    const moved = every.find((one) => one.id === id);
    if (moved === undefined || (moved.parent?.id ?? null) === parent) return;
    if (parent !== null && withBelow(every, id).has(parent)) setSaid(t('units.cycle'));
    else write.mutate({ type: 'move', unit: moved, parent });
  };
  const isArchived = unit !== null && unit.archived_at !== null;
  const actions = {
    onSelect: setSelected,
    onEdit: (one: Unit) => one.archived_at === null && setForm({ unit: one, parent: null }),
    onNew: (one: Unit) => setForm({ unit: null, parent: one.id }),
    onArchive: (one: Unit) => write.mutate({ type: one.archived_at === null ? 'archive' : 'reactivate', unit: one }),
    onCut: (one: Unit | null) => {
      setCut(one?.id ?? null);
      setSaid(one === null ? t('units.notMoved') : t('units.cut', { name: one.name }));
    },
    onMove: moveTo,
  };
  return (
    <Stack>
      <Text size="sm" c="dimmed" maw={640}>
        {t('kinds.org-units.purpose')}
      </Text>
      <Group gap="xs">
        <Button
          variant={list.isSuccess && every.length === 0 ? 'filled' : 'default'}
          onClick={() => setForm({ unit: null, parent: null })}
        >
          {t('kinds.org-units.add')}
        </Button>
        {every.length > 0 && (
          // Always there and of one width, so that the tree does not move while a unit is dragged.
          <Group gap={4}>
            <Button
              variant="default"
              disabled={unit === null || isArchived}
              aria-label={unit === null ? undefined : t('units.addBelow', { name: unit.name })}
              onClick={() => actions.onNew(unit!)}
            >
              {t('units.below')}
            </Button>
            <Button
              variant="default"
              disabled={unit === null || isArchived}
              aria-label={unit === null ? undefined : t('list.editOf', { name: unit.name })}
              onClick={() => actions.onEdit(unit!)}
            >
              {t('list.edit')}
            </Button>
            <Button
              variant="default"
              disabled={unit === null}
              loading={write.isPending}
              aria-label={
                unit === null ? undefined : t(isArchived ? 'list.reactivateOf' : 'list.archiveOf', { name: unit.name })
              }
              onClick={() => actions.onArchive(unit!)}
            >
              {t(isArchived ? 'list.reactivate' : 'list.archive')}
            </Button>
          </Group>
        )}
        {every.length > 0 && <WithArchived />}
      </Group>
      {write.isError && <Failure error={write.error} />}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      <Reading of={t('kinds.org-units.many')} query={list} />
      {list.isSuccess && every.length === 0 && (
        <Empty title={t('kinds.org-units.none')}>{t('kinds.org-units.noneYet')}</Empty>
      )}
      {units.length > 0 && <Tree {...actions} units={units} selected={selected} cut={cut} />}
      {units.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('units.drag')} <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('units.keys.walk')} · <Kbd>F2</Kbd> {t('units.keys.edit')} ·{' '}
          <Kbd>{common('keyNames.control')}</Kbd>+<Kbd>X</Kbd>, <Kbd>{common('keyNames.control')}</Kbd>+<Kbd>V</Kbd>{' '}
          {t('units.keys.move')} · <Kbd>{common('keyNames.insert')}</Kbd> {t('units.keys.add')} ·{' '}
          <Kbd>{common('keyNames.delete')}</Kbd> {t('units.keys.archive')}
        </Text>
      )}
      {form !== null && <UnitForm {...form} units={every} onClose={() => setForm(null)} />}
    </Stack>
  );
}

interface TreeProperties {
  readonly units: readonly Unit[];
  readonly selected: string | null;
  /** The unit that waits for its new place. */
  readonly cut: string | null;
  readonly onSelect: (id: string) => void;
  readonly onEdit: (unit: Unit) => void;
  readonly onNew: (above: Unit) => void;
  readonly onArchive: (unit: Unit) => void;
  readonly onCut: (unit: Unit | null) => void;
  /** Null for the top. */
  readonly onMove: (id: string, parent: string | null) => void;
}

/** The type of what is dragged, so that other drags are no moves. */
const DRAGGED = 'application/x-org-unit';

function Tree({ units, selected, cut, onSelect, onEdit, onNew, onArchive, onCut, onMove }: TreeProperties) {
  const t = useTexts();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [target, setTarget] = useState<string | null>(null);
  const items = useRef(new Map<string, HTMLLIElement>());
  const rows = rowsOfTree(units, closed);
  const at = Math.max(
    0,
    rows.findIndex(({ unit }) => unit.id === selected),
  );
  const isFocused = useRef(false);
  useEffect(() => {
    if (isFocused.current && selected !== null) items.current.get(selected)?.focus();
  }, [selected, rows.length]);
  const toggle = (id: string, isOpen: boolean): void =>
    setClosed((former) => new Set(isOpen ? [...former].filter((one) => one !== id) : [...former, id]));
  const go = (index: number): void => onSelect(rows[index]!.unit.id);
  const onKeyDown = (event: KeyboardEvent): void => {
    const { unit, hasChildren, level } = rows[at]!;
    const isOpen = !closed.has(unit.id);
    const isControl = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    const next = isControl ? null : rowAfterKey(rows, at, event.key);
    if (next !== null) go(next);
    else if (isControl && letter === 'x') onCut(unit);
    else if (isControl && letter === 'v' && cut !== null) onMove(cut, unit.id);
    else if (event.key === 'Escape' && cut !== null) onCut(null);
    else if (event.key === 'F2' || event.key === 'Enter') onEdit(unit);
    else if (event.key === 'Insert') onNew(unit);
    else if (event.key === 'Delete') onArchive(unit);
    else if (event.key === 'ArrowRight' && hasChildren) {
      if (isOpen) go(at + 1);
      else toggle(unit.id, true);
    } else if (event.key === 'ArrowLeft') {
      if (hasChildren && isOpen) toggle(unit.id, false);
      else if (level > 1) go(rows.findLastIndex((row, index) => index < at && row.level < level));
    } else return;
    event.preventDefault();
  };
  const drop = (event: DragEvent, parent: string | null): void => {
    event.preventDefault();
    setTarget(null);
    onMove(event.dataTransfer.getData(DRAGGED), parent);
  };
  const over = (event: DragEvent, id: string): void => {
    if (!event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    setTarget(id);
  };
  return (
    <Card withBorder padding="xs">
      <ul
        role="tree"
        aria-label={t('parts.org-units')}
        className={classes.tree}
        onKeyDown={onKeyDown}
        onFocus={() => (isFocused.current = true)}
        onBlur={({ currentTarget, relatedTarget }) => {
          isFocused.current = currentTarget.contains(relatedTarget);
        }}
      >
        {rows.map(({ unit, level, position, siblings, hasChildren }, index) => {
          const Arrow = closed.has(unit.id) ? IconChevronRight : IconChevronDown;
          return (
            <li
              key={unit.id}
              ref={(item) => {
                if (item === null) items.current.delete(unit.id);
                else items.current.set(unit.id, item);
              }}
              role="treeitem"
              aria-level={level}
              aria-posinset={position}
              aria-setsize={siblings}
              aria-selected={unit.id === selected}
              {...(hasChildren ? { 'aria-expanded': !closed.has(unit.id) } : {})}
              tabIndex={index === at ? 0 : -1}
              draggable={unit.archived_at === null}
              className={classes.unit}
              data-target={target === unit.id || undefined}
              data-cut={cut === unit.id || undefined}
              style={{ paddingInlineStart: 8 + (level - 1) * 20 }}
              onClick={() => onSelect(unit.id)}
              onFocus={() => onSelect(unit.id)}
              onDoubleClick={() => onEdit(unit)}
              onDragStart={(event) => {
                event.dataTransfer.setData(DRAGGED, unit.id);
                event.dataTransfer.effectAllowed = 'move';
                onSelect(unit.id);
              }}
              onDragOver={(event) => over(event, unit.id)}
              onDragLeave={() => setTarget(null)}
              onDrop={(event) => drop(event, unit.id)}
            >
              <span
                className={classes.arrow}
                aria-hidden
                onClick={(event) => {
                  event.stopPropagation();
                  toggle(unit.id, closed.has(unit.id));
                }}
              >
                {hasChildren && <Arrow size={16} />}
              </span>
              <span className={classes.name}>{unit.name}</span>
              {unit.code !== null && <span className={classes.code}>{unit.code}</span>}
              {unit.head !== null && <span className={classes.head}>{unit.head.display_name}</span>}
              {unit.archived_at !== null && <Badge variant="default">{t('list.archived')}</Badge>}
            </li>
          );
        })}
      </ul>
      <div
        className={classes.top}
        data-target={target === '' || undefined}
        onDragOver={(event) => over(event, '')}
        onDragLeave={() => setTarget(null)}
        onDrop={(event) => drop(event, null)}
      >
        {t('units.dropTop')}
      </div>
    </Card>
  );
}

interface UnitFormProperties {
  /** Null for a new one. */
  readonly unit: Unit | null;
  /** The unit above a new one; null for the top. */
  readonly parent: string | null;
  readonly units: readonly Unit[];
  readonly onClose: () => void;
}

function UnitForm({ unit, parent, units, onClose }: UnitFormProperties) {
  const t = useTexts();
  const undo = useUndo();
  const fields = useFields('org-units');
  const baseOf = (of: Unit, entityTag: string | null) => ({
    values: { name: of.name, code: of.code, parent_id: of.parent?.id ?? null, head_id: of.head?.id ?? null },
    entityTag,
  });
  const read = async (id: string) =>
    answerOf(client.GET('/org-units/{orgUnitId}', { params: { path: { orgUnitId: id } } }));
  const base = useFormBase(['org-units', unit?.id ?? 'new'], async () => {
    if (unit === null) return { values: { ...initialOf(fields), parent_id: parent }, entityTag: null };
    const { data, entityTag } = await read(unit.id);
    return baseOf(data, entityTag);
  });
  if (base.data === undefined) return <Reading of={t('kinds.org-units.many')} query={base} />;
  const places = unit === null ? new Set<string>() : withBelow(units, unit.id);
  const controls = {
    parent_id: ({ label, value, error, onChange }: ControlProperties) => (
      <Select
        label={label}
        error={error}
        placeholder={t('units.top')}
        searchable
        clearable
        data={units
          .filter(({ id, archived_at: archivedAt }) => archivedAt === null && !places.has(id))
          .map(({ id, name }) => ({ value: id, label: name }))}
        value={value as string | null}
        onChange={onChange}
      />
    ),
    head_id: ({ label, value, error, onChange }: ControlProperties) => (
      <PersonSelect
        label={label}
        error={error}
        value={value as string | null}
        valueName={unit?.head?.display_name ?? null}
        onChange={onChange}
      />
    ),
  };
  return (
    <ResourceForm
      form="org-units"
      id={unit?.id ?? 'new'}
      fields={fields}
      controls={controls}
      title={unit === null ? t('kinds.org-units.new') : t('list.editOf', { name: unit.name })}
      action={unit === null ? t('form.create') : t('form.save')}
      base={base.data}
      reread={async () => {
        const { data, entityTag } = await read(unit!.id);
        return baseOf(data, entityTag);
      }}
      write={async (values, header) => {
        if (unit === null)
          return answerOf(
            client.POST('/org-units', { params: { header }, body: values as Schemas['CreateOrgUnitRequest'] }),
          );
        return answerOf(
          client.PATCH('/org-units/{orgUnitId}', {
            params: { path: { orgUnitId: unit.id }, header },
            body: values as Schemas['UpdateOrgUnitRequest'],
          }),
        );
      }}
      onSuccess={({ data }) => {
        onClose();
        if (unit === null) return;
        const { name, code, parent: above, head } = unit;
        const body = { name, code, parent_id: above?.id ?? null, head_id: head?.id ?? null };
        undo(t('form.saved', { name: data.name }), () =>
          answerOf(client.PATCH('/org-units/{orgUnitId}', { ...byId(unit.id), body })),
        );
      }}
      onClose={onClose}
    />
  );
}
