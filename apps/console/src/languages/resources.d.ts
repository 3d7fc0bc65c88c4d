import 'i18next';
import type common from '../messages/en.json';
import type access from '../screens/access/messages/en.json';
import type directory from '../screens/directory/messages/en.json';
import type imports from '../screens/imports/messages/en.json';
import type orgChart from '../screens/org-chart/messages/en.json';
import type payroll from '../screens/payroll/messages/en.json';
import type proposals from '../screens/proposals/messages/en.json';
import type requests from '../screens/requests/messages/en.json';
import type signIn from '../screens/sign-in/messages/en.json';
import type timeline from '../screens/timeline/messages/en.json';
import type shell from '../shell/messages/en.json';

declare module 'i18next' {
  /** The keys of each namespace follow from its English catalogue: another key is a type error. */
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      shell: typeof shell;
      access: typeof access;
      directory: typeof directory;
      imports: typeof imports;
      'org-chart': typeof orgChart;
      payroll: typeof payroll;
      proposals: typeof proposals;
      requests: typeof requests;
      'sign-in': typeof signIn;
      timeline: typeof timeline;
    };
  }
}
