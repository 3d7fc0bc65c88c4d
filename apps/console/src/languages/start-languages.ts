import i18next, { type BackendModule, type CustomTypeOptions } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { currentLanguage } from '../data/locale.js';

/** The name of a screen's folder, whose catalogues are in `messages`. */
export type Namespace = keyof CustomTypeOptions['resources'];

/**
 * The catalogue of each namespace and language, loaded on demand: `../screens/directory/messages/de.json`.
 */
const CATALOGUES = import.meta.glob<{ readonly default: Record<string, unknown> }>('../**/messages/*.json');

/** The namespace of texts that several screens use: its catalogues are in `src/messages`. */
const COMMON = 'common';

/** Reads catalogues from the folder that has the name of the namespace. */
const catalogues: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: async (language: string, namespace: string) => {
    const end = namespace === COMMON ? `../messages/${language}.json` : `/${namespace}/messages/${language}.json`;
    const path = Object.keys(CATALOGUES).find((one) => one.endsWith(end));
    if (path === undefined) throw new Error(`there is no catalogue ${end}`);
    return (await CATALOGUES[path]!()).default;
  },
};

/**
 * Loads the texts that a page needs from the start, `common` and these, in the user's language, and marks the
 * page with it.
 */
export async function startLanguages(...namespaces: readonly Namespace[]): Promise<void> {
  const language = currentLanguage();
  document.documentElement.lang = language;
  await i18next
    .use(catalogues)
    .use(initReactI18next)
    .init({
      lng: language,
      // The catalogues are complete, so that no text falls back to another language.
      fallbackLng: false,
      load: 'languageOnly',
      ns: [COMMON, ...namespaces],
      defaultNS: COMMON,
      // React escapes texts.
      interpolation: { escapeValue: false },
    });
}

/** Loads the texts of a screen. Throws if they do not arrive. */
export async function loadTexts(namespaces: readonly Namespace[]): Promise<void> {
  await i18next.loadNamespaces(namespaces);
  const missing = namespaces.filter((namespace) => !i18next.hasLoadedNamespace(namespace));
  if (missing.length > 0) throw new Error(`the texts of ${missing.join(', ')} did not arrive`);
}
