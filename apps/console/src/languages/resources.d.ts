import 'i18next';
import type common from '../messages/en.json';
import type directory from '../screens/directory/messages/en.json';
import type myPage from '../screens/my-page/messages/en.json';
import type shell from '../shell/messages/en.json';

declare module 'i18next' {
  /** The keys of each namespace follow from its English catalogue: another key is a type error. */
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      shell: typeof shell;
      directory: typeof directory;
      'my-page': typeof myPage;
    };
  }
}
