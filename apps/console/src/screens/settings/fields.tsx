import { Group, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import { hoursText } from '../../data/days.js';
import { countryName, currentLocale } from '../../data/locale.js';
import { issueOf } from '../../data/issue-of.js';
import { CountrySelect } from '../../ui/country-select.js';
import type { FieldFacts, FormName, Values } from './facts.js';
import classes from './settings.module.css';
import { choiceText, fieldHelp, fieldLabel, type Translate, useTexts } from './texts.js';

/** The properties of every control. */
export interface ControlProperties {
  readonly field: FieldFacts;
  readonly label: string;
  readonly description: string | undefined;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly isDisabled: boolean;
  /** Whether the dialog begins with it. */
  readonly isFirst: boolean;
  readonly onChange: (value: unknown) => void;
}

/** Controls of fields whose kind does not say enough, by name. */
export type Controls = Readonly<Record<string, (properties: ControlProperties) => ReactNode>>;

interface FieldsProperties {
  readonly form: FormName;
  readonly fields: readonly FieldFacts[];
  readonly values: Values;
  readonly error: Error | null;
  /** Whether the resource exists, so that fixed fields cannot change. */
  readonly isChange: boolean;
  readonly controls?: Controls;
  readonly onChange: (values: Values) => void;
}

/** The controls of a form, as the facts of its fields say. */
export function Fields({ form, fields, values, error, isChange, controls = {}, onChange }: FieldsProperties) {
  const t = useTexts();
  return fields.map((field, index) => {
    const { name } = field;
    return (
      <Control
        key={name}
        render={controls[name] ?? CONTROLS[name] ?? controlOf(field)}
        field={field}
        label={fieldLabel(t, form, name)}
        description={fieldHelp(t, form, name)}
        value={values[name] ?? null}
        error={issueOf(error, name)}
        isDisabled={isChange && field.is_fixed}
        isFirst={index === 0}
        onChange={(value) => onChange({ ...values, [name]: value })}
      />
    );
  });
}

/** One control. It keeps its place on the page where a form makes a new function of `render`. */
function Control({
  render,
  ...properties
}: ControlProperties & { readonly render: (properties: ControlProperties) => ReactNode }) {
  return render(properties);
}

/** Whether every field has a value that a creation needs. */
export function isComplete(fields: readonly FieldFacts[], values: Values): boolean {
  return fields.every(({ name, is_required: isRequired }) => {
    const value = values[name] ?? null;
    return !isRequired || (value !== null && (typeof value !== 'string' || value.trim() !== ''));
  });
}

/** A value of a field in words. */
export function valueText(t: Translate, name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return t('values.none');
  if (typeof value === 'boolean') return i18next.t(value ? 'yes' : 'no');
  if (typeof value === 'number' && name.endsWith('_minutes')) return hoursText(value, 2);
  if (name === 'country_code' && typeof value === 'string') return countryName(value);
  if (Array.isArray(value)) return t('values.items', { count: value.length });
  return choiceText(t, name, String(value));
}

const common = ({ label, description, error, isDisabled, isFirst, field }: ControlProperties) => ({
  label,
  description,
  error,
  disabled: isDisabled,
  required: field.is_required,
  ...(isFirst ? { 'data-autofocus': true } : {}),
});

function controlOf({ kind, name }: FieldFacts): (properties: ControlProperties) => ReactNode {
  switch (kind) {
    case 'boolean':
      return BooleanControl;
    case 'choice':
      return ChoiceControl;
    case 'integer':
      return name.endsWith('_minutes') ? HoursControl : IntegerControl;
    case 'date':
      return DateControl;
    default:
      return TextControl;
  }
}

function TextControl(properties: ControlProperties) {
  const { field, value, onChange } = properties;
  return (
    <TextInput
      {...common(properties)}
      value={(value as string | null) ?? ''}
      {...(field.maximum_length === undefined ? {} : { maxLength: field.maximum_length })}
      onChange={({ target }) => onChange(target.value === '' && field.is_nullable ? null : target.value)}
    />
  );
}

function LinesControl(properties: ControlProperties) {
  const { field, value, onChange } = properties;
  return (
    <Textarea
      {...common(properties)}
      autosize
      minRows={2}
      value={(value as string | null) ?? ''}
      {...(field.maximum_length === undefined ? {} : { maxLength: field.maximum_length })}
      onChange={({ target }) => onChange(target.value === '' && field.is_nullable ? null : target.value)}
    />
  );
}

function BooleanControl({ label, description, error, value, onChange }: ControlProperties) {
  return (
    <Switch
      label={label}
      description={description}
      error={error}
      checked={value === true}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}

function ChoiceControl(properties: ControlProperties) {
  const { field, value, onChange } = properties;
  const t = useTexts();
  return (
    <Select
      {...common(properties)}
      allowDeselect={field.is_nullable}
      data={(field.values ?? []).map((one) => ({ value: one, label: choiceText(t, field.name, one) }))}
      value={value as string | null}
      onChange={onChange}
    />
  );
}

function IntegerControl(properties: ControlProperties) {
  const { field, value, onChange } = properties;
  return (
    <NumberInput
      {...common(properties)}
      allowDecimal={false}
      value={(value as number | null) ?? ''}
      {...(field.minimum === undefined ? {} : { min: field.minimum })}
      {...(field.maximum === undefined ? {} : { max: field.maximum })}
      onChange={(typed) => onChange(typed === '' ? null : Number(typed))}
    />
  );
}

/** The separator of decimals in the language of the page. */
export const decimalSeparator = (): string =>
  new Intl.NumberFormat(currentLocale()).formatToParts(0.5).find(({ type }) => type === 'decimal')!.value;

/** Minutes, shown and typed as hours. */
function HoursControl(properties: ControlProperties) {
  const { field, value, onChange } = properties;
  const t = useTexts();
  return (
    <NumberInput
      {...common(properties)}
      decimalScale={4}
      decimalSeparator={decimalSeparator()}
      suffix={t('values.hourSuffix')}
      value={value === null ? '' : Number(((value as number) / 60).toFixed(4))}
      {...(field.minimum === undefined ? {} : { min: Number((field.minimum / 60).toFixed(4)) })}
      {...(field.maximum === undefined ? {} : { max: field.maximum / 60 })}
      onChange={(typed) => onChange(typed === '' ? null : Math.round(Number(typed) * 60))}
    />
  );
}

function DateControl(properties: ControlProperties) {
  return (
    <TextInput
      {...common(properties)}
      type="date"
      value={(properties.value as string | null) ?? ''}
      onChange={({ target }) => properties.onChange(target.value === '' ? null : target.value)}
    />
  );
}

function CountryControl(properties: ControlProperties) {
  return (
    <CountrySelect
      {...common(properties)}
      allowDeselect={false}
      value={properties.value as string | null}
      onChange={properties.onChange}
    />
  );
}

function TimeZoneControl(properties: ControlProperties) {
  const { value, onChange } = properties;
  const zones = Intl.supportedValuesOf('timeZone');
  const own = value === null || zones.includes(value as string) ? [] : [value as string];
  return (
    <Select
      {...common(properties)}
      searchable
      allowDeselect={false}
      limit={100}
      data={[...own, ...zones]}
      value={value as string | null}
      onChange={onChange}
    />
  );
}

const COLOUR = /^#[0-9a-f]{6}$/i;

/** A colour as `#rrggbb`, typed or picked. */
function ColourControl(properties: ControlProperties) {
  const { label, value, isDisabled, onChange } = properties;
  const t = useTexts();
  const text = (value as string | null) ?? '';
  return (
    <TextInput
      {...common(properties)}
      placeholder="#1f7a4d"
      maxLength={7}
      value={text}
      leftSection={
        <input
          type="color"
          aria-label={t('form.pick', { label })}
          className={classes.colour}
          disabled={isDisabled}
          value={COLOUR.test(text) ? text : '#808080'}
          onChange={({ target }) => onChange(target.value)}
        />
      }
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    />
  );
}

/** A day of every year as `MM-DD`. */
function DayOfYearControl(properties: ControlProperties) {
  const { label, description, error, value, onChange } = properties;
  const t = useTexts();
  const [month, day] = ((value as string | null) ?? '01-01').split('-') as [string, string];
  const months = Array.from({ length: 12 }, (_, index) => ({
    value: String(index + 1).padStart(2, '0'),
    label: new Intl.DateTimeFormat(currentLocale(), { month: 'long', timeZone: 'UTC' }).format(
      Date.UTC(2025, index, 1),
    ),
  }));
  const days = new Date(Date.UTC(2025, Number(month), 0)).getUTCDate();
  const two = (number: number): string => String(number).padStart(2, '0');
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <Select
        label={label}
        description={description}
        error={error}
        allowDeselect={false}
        data={months}
        value={month}
        onChange={(chosen) => onChange(`${chosen ?? month}-01`)}
      />
      <NumberInput
        aria-label={t('form.dayOf', { label })}
        w={76}
        min={1}
        max={days}
        allowDecimal={false}
        value={Number(day)}
        onChange={(typed) => typed !== '' && onChange(`${month}-${two(Number(typed))}`)}
      />
    </Group>
  );
}

/** Controls for fields of these names in every form. */
const CONTROLS: Controls = {
  country_code: CountryControl,
  time_zone: TimeZoneControl,
  colour: ColourControl,
  primary_color_light: ColourControl,
  primary_color_dark: ColourControl,
  leave_year_start: DayOfYearControl,
  description: LinesControl,
};
