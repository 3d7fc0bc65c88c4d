import { Group, NumberInput, SegmentedControl, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { client, type Schemas } from '../../data/client.js';
import { hoursText } from '../../data/days.js';
import { useFormBase } from '../../data/use-tagged-write.js';
import { StateBadge } from '../../ui/state-badge.js';
import { Reading } from '../../ui/states.js';
import { initialOf, useFields, type Values } from './facts.js';
import { decimalSeparator } from './fields.js';
import { ResourceForm } from './resource-form.js';
import { ArchiveForGood, RowButton, SettingsList, useArchived } from './settings-list.js';
import { useTexts } from './texts.js';
import { painted, type PatternDay, totalOf, withWeeks } from './week.js';
import { WeekPainter } from './week-painter.js';

type Pattern = Schemas['WorkingPatternResponse'];
/** What a form begins with: a pattern to change, one to copy, or none. */
interface Edited {
  readonly pattern: Pattern | null;
  readonly isCopy: boolean;
}

/** The weeks in which people work: painted, copied, and archived. */
export function WorkingPatterns() {
  const t = useTexts();
  const [isWithArchived] = useArchived();
  const [edited, setEdited] = useState<Edited | null>(null);
  const [archived, setArchived] = useState<Pattern | null>(null);
  const list = useQuery({
    queryKey: ['working-patterns'],
    queryFn: () => answerOf(client.GET('/working-patterns')),
  });
  const every = list.data?.data ?? [];
  const rows = every.filter(({ archived_at: archivedAt }) => archivedAt === null || isWithArchived);
  return (
    <Stack>
      <SettingsList
        kind="working-patterns"
        label={t('parts.working-patterns')}
        heads={[t('fields.working-patterns.label'), t('patterns.weekly'), t('fields.working-patterns.cycle_weeks')]}
        minWidth={520}
        query={list}
        isEmpty={list.isSuccess && every.length === 0}
        onAdd={() => setEdited({ pattern: null, isCopy: false })}
      >
        {rows.map((pattern) => (
          <Table.Tr key={pattern.id}>
            <Table.Td>
              {pattern.label}{' '}
              {pattern.archived_at !== null && <StateBadge tone="quiet">{t('list.archived')}</StateBadge>}
            </Table.Td>
            <Table.Td>{hoursText(pattern.weekly_minutes, 2)}</Table.Td>
            <Table.Td>{pattern.cycle_weeks}</Table.Td>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                {pattern.archived_at === null && (
                  <RowButton
                    label={t('list.editOf', { name: pattern.label })}
                    onClick={() => setEdited({ pattern, isCopy: false })}
                  >
                    {t('list.edit')}
                  </RowButton>
                )}
                <RowButton
                  label={t('patterns.copyOf', { name: pattern.label })}
                  onClick={() => setEdited({ pattern, isCopy: true })}
                >
                  {t('patterns.copy')}
                </RowButton>
                {pattern.archived_at === null && (
                  <RowButton label={t('list.archiveOf', { name: pattern.label })} onClick={() => setArchived(pattern)}>
                    {t('list.archive')}
                  </RowButton>
                )}
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </SettingsList>
      {edited !== null && <PatternForm {...edited} onClose={() => setEdited(null)} />}
      {archived !== null && (
        <ArchiveForGood
          name={archived.label}
          effect={t('patterns.archiveEffect')}
          archive={(header) =>
            answerOf(
              client.POST('/working-patterns/{workingPatternId}/archive', {
                params: { path: { workingPatternId: archived.id }, header },
              }),
            )
          }
          onClose={() => setArchived(null)}
        />
      )}
    </Stack>
  );
}

const HALF_DAYS = [240, 225, 210, 180] as const;

function PatternForm({ pattern, isCopy, onClose }: Edited & { readonly onClose: () => void }) {
  const t = useTexts();
  const fields = useFields('working-patterns');
  const [brush, setBrush] = useState(240);
  const isNew = pattern === null || isCopy;
  const valuesOf = ({ label, cycle_weeks, anchor_date, days }: Pattern): Values => ({
    label: isCopy ? t('patterns.copyLabel', { name: label }) : label,
    cycle_weeks,
    anchor_date,
    days,
  });
  const read = async () => {
    const { data, entityTag } = await answerOf(
      client.GET('/working-patterns/{workingPatternId}', { params: { path: { workingPatternId: pattern!.id } } }),
    );
    return { values: valuesOf(data), entityTag: isCopy ? null : entityTag };
  };
  const base = useFormBase(['working-patterns', pattern?.id ?? 'new', isCopy], async () =>
    pattern === null ? { values: { ...initialOf(fields), days: [] }, entityTag: null } : await read(),
  );
  if (base.data === undefined) return <Reading of={t('kinds.working-patterns.many')} query={base} />;
  // The days need the number of weeks, so that one control has both, and the day on which the cycle begins.
  const shown = fields.map((field) => (field.name === 'label' ? field : { ...field, is_required: false }));
  const controls = {
    cycle_weeks: () => null,
    anchor_date: () => null,
    days: () => null,
  };
  return (
    <ResourceForm
      form="working-patterns"
      id={isNew ? `new ${pattern?.id ?? ''}` : pattern.id}
      fields={shown}
      controls={controls}
      size="xl"
      title={isNew ? t('kinds.working-patterns.new') : t('list.editOf', { name: pattern.label })}
      action={isNew ? t('form.create') : t('form.save')}
      base={base.data}
      reread={read}
      write={async (values, header) =>
        isNew
          ? answerOf(
              client.POST('/working-patterns', {
                params: { header },
                body: values as Schemas['CreateWorkingPatternRequest'],
              }),
            )
          : answerOf(
              client.PATCH('/working-patterns/{workingPatternId}', {
                params: { path: { workingPatternId: pattern.id }, header },
                body: values as Schemas['UpdateWorkingPatternRequest'],
              }),
            )
      }
      onSuccess={onClose}
      onClose={onClose}
    >
      {(values, _, setValues) => {
        const days = values['days'] as readonly PatternDay[];
        const weeks = values['cycle_weeks'] as number;
        return (
          <Stack gap="sm">
            <Group align="flex-end">
              <NumberInput
                label={t('fields.working-patterns.cycle_weeks')}
                w={140}
                min={1}
                max={8}
                allowDecimal={false}
                clampBehavior="strict"
                value={weeks}
                onChange={(typed) => {
                  const next = Number(typed);
                  if (next >= 1 && next <= 8)
                    setValues({ ...values, cycle_weeks: next, days: withWeeks(days, weeks, next) });
                }}
              />
              {weeks > 1 && (
                <TextInput
                  type="date"
                  label={t('fields.working-patterns.anchor_date')}
                  description={t('help.working-patterns.anchor_date')}
                  value={values['anchor_date'] as string}
                  onChange={({ target }) => setValues({ ...values, anchor_date: target.value })}
                />
              )}
            </Group>
            <Stack gap={4}>
              <Text size="sm" fw={500} id="brush">
                {t('patterns.brush')}
              </Text>
              <Group gap="sm">
                <SegmentedControl
                  aria-labelledby="brush"
                  value={HALF_DAYS.some((one) => one === brush) ? String(brush) : ''}
                  data={HALF_DAYS.map((minutes) => ({
                    value: String(minutes),
                    label: hoursText(minutes, 2),
                  }))}
                  onChange={(value) => setBrush(Number(value))}
                />
                <NumberInput
                  aria-label={t('patterns.brushHours')}
                  w={110}
                  min={0.25}
                  max={12}
                  step={0.25}
                  decimalSeparator={decimalSeparator()}
                  suffix={t('values.hourSuffix')}
                  value={brush / 60}
                  onChange={(typed) => Number(typed) > 0 && setBrush(Math.round(Number(typed) * 60))}
                />
              </Group>
            </Stack>
            <WeekPainter
              label={t('patterns.grid')}
              weeks={weeks}
              days={days}
              brush={brush}
              onPaint={(cell, minutes) =>
                setValues((former) => ({
                  ...former,
                  days: painted(former['days'] as readonly PatternDay[], cell, minutes),
                }))
              }
            />
            <Group justify="space-between">
              <Text size="xs" c="dimmed" maw={420}>
                {t('patterns.keys')}
              </Text>
              <Text size="sm" fw={600} role="status">
                {t('patterns.total', { hours: Number((totalOf(days, weeks) / 60).toFixed(2)) })}
              </Text>
            </Group>
          </Stack>
        );
      }}
    </ResourceForm>
  );
}
