/** The languages of the console, each with its own name and the locale of its dates and numbers. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
  fr: { name: 'Français', locale: 'fr-FR' },
  es: { name: 'Español', locale: 'es-ES' },
} as const;

export type Language = keyof typeof LANGUAGES;

const isLanguage = (name: string | null | undefined): name is Language =>
  name !== null && name !== undefined && Object.hasOwn(LANGUAGES, name);

/** The language that the user has chosen; null before a choice. */
let chosen: Language | null = null;

/** Sets the language of a page before it shows anything. An unknown name is no choice. */
export function setLanguage(name: string | null): void {
  chosen = isLanguage(name) ? name : null;
}

/** The language that the user has chosen, or the first of the browser's that the console has, or English. */
export function currentLanguage(): Language {
  if (chosen !== null) return chosen;
  const preferred = globalThis.navigator?.languages ?? [];
  return preferred.map((tag) => tag.split('-', 1)[0]).find(isLanguage) ?? 'en';
}

/** The locale of dates, numbers and the order of names, such as `de-DE`. */
export const currentLocale = (): string => LANGUAGES[currentLanguage()].locale;

/** A number in the form of the locale, with at most these decimals: 1,234.5. */
export const numberText = (value: number, decimals = 0): string =>
  new Intl.NumberFormat(currentLocale(), { maximumFractionDigits: decimals }).format(value);

/** Texts as an enumeration: departments, work places and work types. */
export const listText = (texts: readonly string[]): string =>
  new Intl.ListFormat(currentLocale(), { type: 'unit' }).format(texts);

/** The name of a country in the language of the page. */
export function countryName(code: string): string {
  return new Intl.DisplayNames(currentLocale(), { type: 'region' }).of(code) ?? code;
}

/** A format that is made on first use, when the language of the page is known. */
export function formatOf(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (date) => (format ??= new Intl.DateTimeFormat(currentLocale(), options)).format(date);
}
