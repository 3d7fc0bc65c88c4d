import { answerOf } from '@workforce-hr/client';
import i18next from 'i18next';
import { fieldText } from '../../data/beliefs.js';
import { client, type Person } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';
import type { Difference } from '../../ui/lost-race.js';
import { statusText } from './standing.js';

/** The fields of a person's identity, in the order of the card. */
export const IDENTITY = ['first_name', 'preferred_name', 'last_name', 'work_email', 'staff_id'] as const;
export type IdentityField = (typeof IDENTITY)[number];

/** Reads a person with the entity tag. */
export const readPerson = (personId: string) =>
  answerOf(client.GET('/people/{personId}', { params: { path: { personId } } }));

/** What another user has changed between two states of a person; null before the first. */
export function personBetween(before: Person | null, after: Person): readonly Difference[] | null {
  if (before === null) return null;
  const [was, is] = [identityOf(before), identityOf(after)];
  const identity = IDENTITY.map((name) => ({
    what: i18next.t(`person:identity.${name}`),
    before: was[name],
    after: is[name],
  }));
  const others = [
    { what: fieldText('job_title'), before: before.job_title ?? '–', after: after.job_title ?? '–' },
    { what: i18next.t('person:status'), before: statusOf(before), after: statusOf(after) },
    { what: i18next.t('person:firstDay'), before: dayOf(before.start_date), after: dayOf(after.start_date) },
    { what: i18next.t('person:finalDay'), before: dayOf(before.end_date), after: dayOf(after.end_date) },
  ];
  return [...identity, ...others].filter((row) => row.before !== row.after);
}

const statusOf = ({ status }: Person): string => (status === null ? '–' : statusText(status));
const dayOf = (day: string | null): string => (day === null ? '–' : shortDayText(day));

/** The identity as the texts of a form. */
export function identityOf(shown: Person): Readonly<Record<IdentityField, string>> {
  const { work_email, first_name, preferred_name, last_name, staff_id } = shown;
  return {
    work_email,
    first_name: first_name ?? '',
    preferred_name: preferred_name ?? '',
    last_name: last_name ?? '',
    staff_id: staff_id ?? '',
  };
}
