import 'i18next';
import type common from '../messages/en.json';
import type access from '../screens/access/messages/en.json';
import type aiClients from '../screens/ai-clients/messages/en.json';
import type balance from '../screens/balance/messages/en.json';
import type calendarLinks from '../screens/calendar-links/messages/en.json';
import type directory from '../screens/directory/messages/en.json';
import type operations from '../operations/messages/en.json';
import type audit from '../screens/audit/messages/en.json';
import type webhooks from '../screens/webhooks/messages/en.json';
import type myPage from '../screens/my-page/messages/en.json';
import type imports from '../screens/imports/messages/en.json';
import type orgChart from '../screens/org-chart/messages/en.json';
import type payroll from '../screens/payroll/messages/en.json';
import type person from '../screens/person/messages/en.json';
import type proposals from '../screens/proposals/messages/en.json';
import type requests from '../screens/requests/messages/en.json';
import type settings from '../screens/settings/messages/en.json';
import type signIn from '../screens/sign-in/messages/en.json';
import type timeOff from '../screens/time-off/messages/en.json';
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
      balance: typeof balance;
      'ai-clients': typeof aiClients;
      'calendar-links': typeof calendarLinks;
      directory: typeof directory;
      audit: typeof audit;
      operations: typeof operations;
      webhooks: typeof webhooks;
      'my-page': typeof myPage;
      imports: typeof imports;
      'org-chart': typeof orgChart;
      payroll: typeof payroll;
      person: typeof person;
      proposals: typeof proposals;
      requests: typeof requests;
      settings: typeof settings;
      'sign-in': typeof signIn;
      'time-off': typeof timeOff;
      timeline: typeof timeline;
    };
  }
}
