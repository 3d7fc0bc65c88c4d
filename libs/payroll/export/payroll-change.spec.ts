import type { Fact, Terms } from '#people/employment/timeline.js';
import { payrollChangeOf } from './payroll-change.js';

type Given = Pick<Fact, 'action' | 'date'> & { readonly terms?: Terms; readonly corrects?: number };

const start = (date: string | null, terms: Terms = {}): Given => ({ action: 'start', date, terms });
const change = (date: string, terms: Terms = {}): Given => ({ action: 'change', date, terms });
const end = (date: string): Given => ({ action: 'end', date });
const rehire = (date: string, terms: Terms = {}): Given => ({ action: 'reactivate', date, terms });
const correct = (corrects: number, date: string, terms: Terms = {}): Given => ({
  action: 'correction',
  date,
  terms,
  corrects,
});
const withdraw = (corrects: number, date: string): Given => ({ action: 'withdrawal', date, corrects });
const insert = (date: string, terms: Terms = {}): Given => ({ action: 'correction', date, terms });

function lastOf(...given: readonly Given[]): string {
  const facts = given.map((fact, revision): Fact => {
    const { action, date, terms = {}, corrects: named } = fact;
    const corrects = named === undefined ? null : `f${named}`;
    return { factId: `f${revision}`, action, revision, date, terms, correctionReason: null, corrects };
  });
  const { changeType, changedFields } = payrollChangeOf(facts);
  return [changeType, ...changedFields].join(' ');
}

const ENGINEER = { job_title: 'Engineer', contracted_weekly_minutes: 2_250 };
const LEAD = { job_title: 'Lead' };
const START = start('2026-01-05', ENGINEER);
const UNDATED = start(null, ENGINEER);
const END = end('2026-03-31');
const PROMOTION = change('2026-03-16', LEAD);

describe('the change of a fact for payroll', () => {
  it.each<[string, readonly Given[], string]>([
    [
      'a dated start is a starter, with the terms that it sets',
      [start('2026-03-02', { ...ENGINEER, manager_id: null })],
      'starter start_date job_title contracted_weekly_minutes',
    ],
    [
      'the first dated change of an undated start is the starter',
      [UNDATED, change('2026-03-02', { department_id: 'd' })],
      'starter start_date job_title department contracted_weekly_minutes',
    ],
    [
      'a correction that dates an undated start is the starter',
      [UNDATED, correct(0, '2026-03-02', { work_type_id: 'w' })],
      'starter start_date work_type',
    ],
    [
      'an earlier change of a start that names no date moves the first day',
      [start(null), change('2026-03-10', { job_title: 'B' }), change('2026-03-02', { job_title: 'A' })],
      'employment_change start_date',
    ],
    [
      'a change names what differs',
      [START, change('2026-03-16', { ...ENGINEER, ...LEAD })],
      'employment_change job_title',
    ],
    ['a change that changes nothing names nothing', [START, change('2026-03-16', ENGINEER)], 'employment_change'],
    ['clearing a term changes it', [START, change('2026-03-16', { job_title: null })], 'employment_change job_title'],
    [
      'a change that a later one hides in part still counts',
      [START, PROMOTION, change('2026-02-01', { job_title: 'B' })],
      'employment_change job_title',
    ],
    [
      'a change on the day of a later fact, which keeps what it set, names only the rest',
      [START, PROMOTION, change('2026-03-16', { department_id: 'd' })],
      'employment_change department',
    ],
    ['an end is a leaver and changes the final day alone', [START, END], 'leaver end_date'],
    ['an end of a start that was never dated is a leaver too', [UNDATED, END], 'leaver end_date'],
    [
      'a rehire names what the new period begins with',
      [START, END, rehire('2026-06-01', { job_title: 'Engineer' })],
      'rehire start_date job_title',
    ],
    ['a correction of the final day', [START, END, correct(1, '2026-03-20')], 'correction end_date'],
    ['a correction of the first day alone', [START, correct(0, '2026-01-12', ENGINEER)], 'correction start_date'],
    [
      'a correction of the first terms, which it replaces wholly',
      [START, correct(0, '2026-01-05', { job_title: 'Engineer' })],
      'correction contracted_weekly_minutes',
    ],
    ['a moved change names what it moves', [START, PROMOTION, correct(1, '2026-05-01', LEAD)], 'correction job_title'],
    ['an end that is withdrawn returns the final day', [START, END, withdraw(1, '2026-03-31')], 'correction end_date'],
    [
      'a rehire that is withdrawn takes its first day away',
      [START, END, rehire('2026-06-01', ENGINEER), withdraw(2, '2026-06-01')],
      'correction start_date',
    ],
    ['a withdrawn change names what returns', [START, PROMOTION, withdraw(1, '2026-03-16')], 'correction job_title'],
    ['a fact put into history', [START, insert('2026-02-01', { work_place_id: 'p' })], 'correction work_place'],
    ['a correction that says the same again', [START, PROMOTION, correct(1, '2026-03-16', LEAD)], 'correction'],
  ])('%s', (_, given, expected) => expect(lastOf(...given)).toBe(expected));
});
