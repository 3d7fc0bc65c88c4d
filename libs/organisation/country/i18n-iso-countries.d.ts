/** The library without country names: its main entry loads those of all languages. */
declare module 'i18n-iso-countries/index.js' {
  import library from 'i18n-iso-countries';
  export { type LocaleData } from 'i18n-iso-countries';
  export default library;
}
