import { type Language, setLanguage } from '../data/locale.js';

/** The place of an operator's choice in the browser: operators do not sign in. */
const KEY = 'workforce-hr.language';

/** Takes the language that was chosen in this browser. */
export const restoreLanguage = (): void => setLanguage(localStorage.getItem(KEY));

/** Changes the language of this browser. The page loads again, so that every text and date follows. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(KEY, language);
  location.reload();
}
