/** The library without its languages, of which its entry loads all. */
declare module 'i18n-iso-countries/index.js' {
  import library from 'i18n-iso-countries';
  export { type LocaleData } from 'i18n-iso-countries';
  export default library;
}
