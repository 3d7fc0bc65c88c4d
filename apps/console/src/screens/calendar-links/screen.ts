import type { Screen } from '../../screen.js';

export const calendarLinks: Screen = {
  path: '/calendar-links',
  name: 'calendarLinks',
  scopes: ['time_off:read', 'people:read'],
  roles: 'all',
  texts: ['calendar-links'],
  navigation: null,
  label: 'calendarLinks',
  load: () => import('./calendar-links.js').then(({ CalendarLinks }) => CalendarLinks),
};
