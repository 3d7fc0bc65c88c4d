import { ActionIcon, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { StateBadge, type Tone } from '../../ui/state-badge.js';
import type { SettingsRow } from './facts.js';
import type { ControlProperties } from './fields.js';
import { ResourceList } from './resource-list.js';
import classes from './settings.module.css';
import { choiceText, useTexts } from './texts.js';

interface Option {
  readonly value: string;
  readonly label: string;
  readonly is_retired?: boolean;
}

interface CustomField extends SettingsRow {
  readonly key: string;
  readonly label: string;
  readonly field_type: string;
  readonly sensitivity: string;
  readonly api_access: 'hidden' | 'read' | 'read_write';
  readonly options: readonly Option[];
}

const TONES: Readonly<Record<CustomField['api_access'], Tone>> = { hidden: 'quiet', read: 'watch', read_write: 'good' };

/** The fields that the organisation adds to people, and what the API may do with each. */
export function CustomFields() {
  const t = useTexts();
  return (
    <ResourceList<CustomField>
      kind="custom-fields"
      form="custom-fields"
      isArchivable={false}
      nameOf={({ label }) => label}
      minWidth={640}
      controls={{ options: OptionsControl }}
      columns={[
        { head: t('fields.custom-fields.label'), cell: ({ label }) => label },
        { head: t('fields.custom-fields.key'), cell: ({ key }) => <Code>{key}</Code> },
        {
          head: t('fields.custom-fields.field_type'),
          cell: ({ field_type: type }) => choiceText(t, 'field_type', type),
        },
        {
          head: t('fields.custom-fields.sensitivity'),
          cell: ({ sensitivity }) => choiceText(t, 'sensitivity', sensitivity),
        },
        {
          head: t('fields.custom-fields.api_access'),
          cell: ({ api_access: access }) => (
            <StateBadge tone={TONES[access]}>{choiceText(t, 'api_access', access)}</StateBadge>
          ),
        },
      ]}
    />
  );
}

/** The choices of a field, in their order. A choice that is taken away stays with the people who have it. */
function OptionsControl({ label, description, value, error, onChange }: ControlProperties) {
  const t = useTexts();
  const options = ((value as readonly Option[] | null) ?? []).filter(({ is_retired: isRetired }) => isRetired !== true);
  const set = (next: readonly Option[]): void =>
    onChange(next.map(({ value: own, label: name }) => ({ value: own, label: name })));
  const swap = (index: number, other: number): void => {
    const next = [...options];
    [next[index], next[other]] = [next[other]!, next[index]!];
    set(next);
  };
  const change = (index: number, changed: Partial<Option>): void =>
    set(options.map((option, place) => (place === index ? { ...option, ...changed } : option)));
  return (
    <fieldset className={classes.options}>
      <legend>{label}</legend>
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          {description}
        </Text>
        {options.map((option, index) => (
          <Group key={index} gap={4} wrap="nowrap" align="flex-end">
            <TextInput
              label={t('options.value', { number: index + 1 })}
              size="xs"
              required
              maxLength={64}
              value={option.value}
              onChange={({ target }) => change(index, { value: target.value })}
            />
            <TextInput
              label={t('options.label', { number: index + 1 })}
              size="xs"
              required
              maxLength={200}
              value={option.label}
              onChange={({ target }) => change(index, { label: target.value })}
            />
            <ActionIcon
              variant="default"
              aria-label={t('options.up', { name: option.label })}
              disabled={index === 0}
              onClick={() => swap(index, index - 1)}
            >
              <IconArrowUp size={14} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={t('options.down', { name: option.label })}
              disabled={index === options.length - 1}
              onClick={() => swap(index, index + 1)}
            >
              <IconArrowDown size={14} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={t('options.remove', { name: option.label })}
              onClick={() => set(options.filter((_, place) => place !== index))}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {error !== undefined && (
          <Text size="xs" c="red" role="alert">
            {error}
          </Text>
        )}
        <Group>
          <Button size="compact-sm" variant="default" onClick={() => set([...options, { value: '', label: '' }])}>
            {t('options.add')}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}
