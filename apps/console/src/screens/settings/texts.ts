import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { FormName } from './facts.js';

export type Translate = TFunction<'settings'>;

/** The texts of the settings. */
export const useTexts = (): Translate => useTranslation('settings').t;

/** The label of a field. A test has every field of every form. */
export const fieldLabel = (t: Translate, form: FormName, name: string): string => t(`fields.${form}.${name}` as never);

/** What the form says of a field; undefined for most. */
export function fieldHelp(t: Translate, form: FormName, name: string): string | undefined {
  const text: string = t(`help.${form}.${name}` as never, { defaultValue: '' });
  return text === '' ? undefined : text;
}

/** A value of a choice in words. */
export const choiceText = (t: Translate, name: string, value: string): string =>
  t(`choices.${name}.${value}` as never, { defaultValue: value });
