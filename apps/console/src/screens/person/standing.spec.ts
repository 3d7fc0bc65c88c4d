import { startEnglish } from '../../languages/start-english.js';
import person from './messages/en.json';
import { plannedAfter, type Segment, standingOn, termsTitle } from './standing.js';

beforeAll(() => startEnglish({ person }));

const NOBODY = {
  fact_id: 'first',
  job_title: null,
  department: null,
  manager: null,
  work_place: null,
  work_type: null,
  working_pattern: null,
  contracted_weekly_minutes: null,
  full_time_weekly_minutes: null,
};
const works = (from: string, to: string | null, terms: Partial<Segment> = {}): Segment => ({
  ...NOBODY,
  effective_from: from,
  effective_to: to,
  employed: true,
  ...terms,
});
const gap = (from: string, to: string | null): Segment => ({
  ...NOBODY,
  fact_id: 'end',
  effective_from: from,
  effective_to: to,
  employed: false,
});
const DAY = '2026-11-27';

it.each([
  ['active', 'active', '2024-01-01', null],
  ['active', 'active', DAY, null],
  ['starts 1 Jan 2027', 'active', '2027-01-01', null],
  ['leaves 30 Jun 2027', 'ended', '2024-01-01', '2027-06-30'],
  // The final day is the last one of employment.
  ['leaves 27 Nov 2026', 'ended', '2024-01-01', DAY],
  ['left 26 Nov 2026', 'ended', '2024-01-01', '2026-11-26'],
  ['works 1 Jan 2027 to 31 Mar 2027', 'ended', '2027-01-01', '2027-03-31'],
  ['inactive', 'inactive', '2024-01-01', null],
])('%s: %s from %s to %s', (text, status, start_date, end_date) => {
  expect(standingOn({ status, start_date, end_date }, DAY).text).toBe(text);
});

it('the terms that a record shows are those of today, the coming ones or the last ones', () => {
  const former = works('2020-01-01', '2026-07-01');
  expect(termsTitle([works('2024-01-01', null)], DAY)).toBe('Terms today');
  expect(termsTitle([], DAY)).toBe('Terms today');
  expect(termsTitle([former, gap('2026-07-01', '2026-12-04'), works('2026-12-04', null)], DAY)).toBe(
    'Terms from 4 Dec 2026',
  );
  expect(termsTitle([works('2027-01-01', null)], DAY)).toBe('Terms from 1 Jan 2027');
  expect(termsTitle([former, gap('2026-07-01', null)], DAY)).toBe('Last terms, until 30 Jun 2026');
});

it('what is planned is a promotion, a leave, and a return with its terms; nothing of the past', () => {
  const segments = [
    works('2024-01-01', '2025-01-01', { job_title: 'Clerk' }),
    works('2025-01-01', '2027-01-01', { job_title: 'Analyst' }),
    works('2027-01-01', '2027-07-01', { fact_id: 'promotion', job_title: 'Lead', contracted_weekly_minutes: 1_200 }),
    gap('2027-07-01', '2027-09-01'),
    works('2027-09-01', null, { fact_id: 'return', job_title: 'Advisor' }),
  ];
  expect(plannedAfter(segments, DAY)).toEqual([
    {
      factId: 'promotion',
      isFirst: false,
      from: '2027-01-01',
      changes: [
        { what: 'Job title', before: 'Analyst', after: 'Lead' },
        { what: 'Weekly hours', before: '–', after: '20 h' },
      ],
    },
    {
      factId: 'end',
      isFirst: false,
      from: '2027-07-01',
      changes: [{ what: 'Employment', before: 'Employed', after: 'Not employed' }],
    },
    {
      factId: 'return',
      isFirst: false,
      from: '2027-09-01',
      changes: [
        { what: 'Employment', before: 'Not employed', after: 'Employed' },
        { what: 'Job title', before: '–', after: 'Advisor' },
      ],
    },
  ]);
  expect(plannedAfter(segments, '2027-09-01')).toEqual([]);
  expect(plannedAfter([works('2027-01-01', null)], DAY)).toMatchObject([{ factId: 'first', isFirst: true }]);
});
