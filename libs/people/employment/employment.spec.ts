import {
  decideEmployment,
  type EmploymentCommand,
  type EmploymentEvent,
  evolveEmployment,
  initialEmployment,
} from './employment.js';
import type { Terms } from './timeline.js';

const TODAY = '2026-06-15';
const PERSON = 'person000001';

const started = (start_date: string | null, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentStarted',
  data: { fact_id: 'f0', start_date, terms },
});
const changed = (fact_id: string, start_date: string, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentChanged',
  data: { fact_id, start_date, terms },
});
const ended = (fact_id: string, end_date: string): EmploymentEvent => ({
  type: 'EmploymentEnded',
  data: { fact_id, end_date },
});
const reactivated = (fact_id: string, start_date: string, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentReactivated',
  data: { fact_id, start_date, terms },
});
const corrected = (
  fact_id: string,
  start_date: string,
  corrects: string | null,
  terms: Terms = {},
): EmploymentEvent => ({
  type: 'EmploymentCorrected',
  data: { fact_id, start_date, terms, correction_reason: 'wrong letter', corrects },
});

const withdrawn = (fact_id: string, corrects: string, effective_date = '2026-01-01'): EmploymentEvent => ({
  type: 'EmploymentFactWithdrawn',
  data: { fact_id, effective_date, correction_reason: 'never came', corrects },
});

const dated = { personId: PERSON, factId: 'new' };
const start = (startDate: string | null, terms: Terms = {}): EmploymentCommand => ({
  ...dated,
  type: 'start',
  startDate,
  terms,
});
const change = (startDate: string, terms: Terms = {}): EmploymentCommand => ({
  ...dated,
  type: 'change',
  startDate,
  terms,
  today: TODAY,
});
const end = (endDate: string): EmploymentCommand => ({ ...dated, type: 'end', endDate });
const reactivate = (startDate: string, terms: Terms = {}): EmploymentCommand => ({
  ...dated,
  type: 'reactivate',
  startDate,
  terms,
});
const correct = (startDate: string, corrects: string | null, terms: Terms = {}): EmploymentCommand => ({
  ...dated,
  type: 'correct',
  startDate,
  terms,
  corrects,
  correctionReason: 'wrong letter',
});

const withdraw = (corrects: string): EmploymentCommand => ({
  ...dated,
  type: 'withdraw',
  corrects,
  correctionReason: 'never came',
});

/**
 * Given these facts, when this command is decided, then the type of the recorded event, or the kind and field
 * of the rejection.
 */
function outcome(given: readonly EmploymentEvent[], when: EmploymentCommand): string {
  const decision = decideEmployment(when, given.reduce(evolveEmployment, initialEmployment));
  if ('rejection' in decision) return `${decision.rejection.kind} ${decision.rejection.details[0]!.field}`;
  return decision.events.map((event) => event.type).join(', ');
}

describe('nothing recorded', () => {
  it('can be started on a date, with terms', () => {
    const decision = decideEmployment(start('2026-01-01', { job_title: 'Engineer' }), initialEmployment);
    expect(decision).toEqual({
      events: [
        {
          type: 'EmploymentStarted',
          data: { fact_id: 'new', start_date: '2026-01-01', terms: { job_title: 'Engineer' } },
        },
      ],
    });
  });
  it('can be started without a date', () => expect(outcome([], start(null))).toBe('EmploymentStarted'));
  it('cannot be changed', () => expect(outcome([], change('2026-01-01'))).toBe('conflict status'));
  it('cannot be corrected', () => expect(outcome([], correct('2026-01-01', null))).toBe('conflict start_date'));
  it('cannot be ended', () => expect(outcome([], end('2026-01-01'))).toBe('not_found person_id'));
  it('cannot be reactivated', () => expect(outcome([], reactivate('2026-01-01'))).toBe('not_found person_id'));
});

describe('an open period', () => {
  const given = [started('2026-01-10', { job_title: 'Engineer' })];

  it('is not started again: the command is the same one', () => expect(outcome(given, start('2026-01-10'))).toBe(''));
  it.each(['2026-01-10', '2026-03-01', TODAY, '2027-01-01'])('can be changed from %s', (date) =>
    expect(outcome(given, change(date))).toBe('EmploymentChanged'),
  );
  it('cannot be changed before its start', () =>
    expect(outcome(given, change('2026-01-09'))).toBe('conflict start_date'));
  it('can be changed twice on one day', () =>
    expect(outcome([...given, changed('f1', '2026-03-01')], change('2026-03-01'))).toBe('EmploymentChanged'));
  it('records a change that changes nothing', () =>
    expect(outcome(given, change('2026-03-01', { job_title: 'Engineer' }))).toBe('EmploymentChanged'));
  it('can be corrected on any of its days', () =>
    expect(outcome(given, correct('2026-01-10', null))).toBe('EmploymentCorrected'));
  it('cannot be corrected before its start', () =>
    expect(outcome(given, correct('2026-01-09', null))).toBe('conflict start_date'));
  it('can be ended on its first day', () => expect(outcome(given, end('2026-01-10'))).toBe('EmploymentEnded'));
  it('cannot be ended before its start', () => expect(outcome(given, end('2026-01-09'))).toBe('conflict end_date'));
  it('cannot be reactivated', () => expect(outcome(given, reactivate('2027-01-01'))).toBe('conflict status'));
});

describe('a period whose start is not dated', () => {
  it('can be changed from any date', () =>
    expect(outcome([started(null)], change('1999-01-01'))).toBe('EmploymentChanged'));
  it('can be ended on any date', () => expect(outcome([started(null)], end('1999-01-01'))).toBe('EmploymentEnded'));
  it('starts with its first dated fact, before which it cannot be ended', () => {
    expect(outcome([started(null), changed('f1', '2026-02-01')], end('2026-01-31'))).toBe('conflict end_date');
  });
  it('can be changed before its first dated fact, which makes it start earlier', () => {
    expect(outcome([started(null), changed('f1', '2026-02-01')], change('2026-01-01'))).toBe('EmploymentChanged');
  });
  it('can be given its start by a correction', () =>
    expect(outcome([started(null), changed('f1', '2026-02-01')], correct('2026-01-15', 'f0'))).toBe(
      'EmploymentCorrected',
    ));
});

describe('an ended person', () => {
  const past = [started('2026-01-01'), ended('f1', '2026-03-31')];
  const coming = [started('2026-01-01'), ended('f1', '2026-09-30')];

  it('is not ended twice', () => expect(outcome(past, end('2026-03-31'))).toBe('conflict status'));
  it('cannot be changed once the final day is over: that is a former period', () =>
    expect(outcome(past, change('2026-02-01'))).toBe('conflict status'));
  it('can be changed up to the final day while that is to come', () =>
    expect(outcome(coming, change('2026-09-30'))).toBe('EmploymentChanged'));
  it('can be changed on the final day itself', () => {
    expect(outcome([started('2026-01-01'), ended('f1', TODAY)], change(TODAY))).toBe('EmploymentChanged');
  });
  it('cannot be changed past the final day', () =>
    expect(outcome(coming, change('2026-10-01'))).toBe('conflict start_date'));
  it('can be corrected within the former period', () =>
    expect(outcome(past, correct('2026-03-31', null))).toBe('EmploymentCorrected'));
  it('cannot be corrected past the final day', () =>
    expect(outcome(past, correct('2026-04-01', null))).toBe('conflict start_date'));
  it('can be reactivated from the day after the final day', () =>
    expect(outcome(past, reactivate('2026-04-01'))).toBe('EmploymentReactivated'));
  it('cannot be reactivated on the final day', () =>
    expect(outcome(past, reactivate('2026-03-31'))).toBe('conflict start_date'));
});

describe('a rehired person', () => {
  const given = [
    started('2026-01-01', { job_title: 'Engineer' }),
    ended('f1', '2026-03-31'),
    reactivated('f2', '2026-06-01'),
  ];

  it('can be changed in the current period', () =>
    expect(outcome(given, change('2026-06-01'))).toBe('EmploymentChanged'));
  it('cannot be changed in the former period', () =>
    expect(outcome(given, change('2026-02-01'))).toBe('conflict start_date'));
  it('cannot be changed in the gap', () => expect(outcome(given, change('2026-05-31'))).toBe('conflict start_date'));
  it('can be changed in the coming period before it begins', () => {
    expect(
      outcome(
        [started('2026-01-01'), ended('f1', '2026-03-31'), reactivated('f2', '2026-09-01')],
        change('2026-10-01'),
      ),
    ).toBe('EmploymentChanged');
  });
  it('can be corrected in the former period', () =>
    expect(outcome(given, correct('2026-02-01', null))).toBe('EmploymentCorrected'));
  it('cannot be corrected in the gap', () =>
    expect(outcome(given, correct('2026-04-01', null))).toBe('conflict start_date'));
  it('can be ended again', () => expect(outcome(given, end('2026-12-31'))).toBe('EmploymentEnded'));
  it('cannot be ended before the new start', () => expect(outcome(given, end('2026-05-31'))).toBe('conflict end_date'));
  it('cannot be reactivated again', () => expect(outcome(given, reactivate('2026-12-01'))).toBe('conflict status'));
});

describe('a correction of a fact', () => {
  const given = [
    started('2026-01-10'),
    changed('f1', '2026-02-01'),
    ended('f2', '2026-03-31'),
    reactivated('f3', '2026-06-01'),
  ];

  it('may not name a fact that is not there', () =>
    expect(outcome(given, correct('2026-02-01', 'f9'))).toBe('not_found corrects'));
  it('may move a change within any period', () => {
    expect(outcome(given, correct('2026-03-01', 'f1'))).toBe('EmploymentCorrected');
    expect(outcome(given, correct('2026-06-01', 'f1'))).toBe('EmploymentCorrected');
  });
  it('may not move a change out of every period', () => {
    expect(outcome(given, correct('2026-01-09', 'f1'))).toBe('conflict start_date');
    expect(outcome(given, correct('2026-04-15', 'f1'))).toBe('conflict start_date');
  });
  it('may move the first start, as far as its final day', () => {
    expect(outcome(given, correct('2025-01-01', 'f0'))).toBe('EmploymentCorrected');
    expect(outcome(given, correct('2026-03-31', 'f0'))).toBe('EmploymentCorrected');
    expect(outcome(given, correct('2026-04-01', 'f0'))).toBe('conflict start_date');
  });
  it('may move a rehire, not into the prior period', () => {
    expect(outcome(given, correct('2026-04-01', 'f3'))).toBe('EmploymentCorrected');
    expect(outcome(given, correct('2026-03-31', 'f3'))).toBe('conflict start_date');
  });
  it('may move an end between the start and the next period', () => {
    expect(outcome(given, correct('2026-01-10', 'f2'))).toBe('EmploymentCorrected');
    expect(outcome(given, correct('2026-05-31', 'f2'))).toBe('EmploymentCorrected');
    expect(outcome(given, correct('2026-01-09', 'f2'))).toBe('conflict start_date');
    expect(outcome(given, correct('2026-06-01', 'f2'))).toBe('conflict start_date');
  });
  it('of an end names no terms', () =>
    expect(outcome(given, correct('2026-03-30', 'f2', { job_title: 'X' }))).toBe('invalid_request job_title'));
  it('is refused where the fact is superseded already', () => {
    expect(outcome([...given, corrected('f4', '2026-02-02', 'f1')], correct('2026-02-03', 'f1'))).toBe(
      'conflict corrects',
    );
  });
  it('may correct the correction, which still is what the first fact was', () => {
    expect(outcome([...given, corrected('f4', '2026-04-30', 'f2')], correct('2026-05-01', 'f4'))).toBe(
      'EmploymentCorrected',
    );
    expect(
      outcome([...given, corrected('f4', '2026-04-30', 'f2')], correct('2026-05-01', 'f4', { job_title: 'X' })),
    ).toBe('invalid_request job_title');
  });
  it('may correct a correction that named no fact', () => {
    expect(outcome([...given, corrected('f4', '2026-02-02', null)], correct('2026-02-03', 'f4'))).toBe(
      'EmploymentCorrected',
    );
  });
});

describe('a withdrawal', () => {
  const given = [
    started('2026-01-10'),
    changed('f1', '2026-02-01'),
    ended('f2', '2026-03-31'),
    reactivated('f3', '2026-06-01'),
  ];

  it('takes back a change, an end and a rehire', () => {
    expect(outcome(given, withdraw('f1'))).toBe('EmploymentFactWithdrawn');
    expect(outcome(given.slice(0, 3), withdraw('f2'))).toBe('EmploymentFactWithdrawn');
    expect(outcome(given, withdraw('f3'))).toBe('EmploymentFactWithdrawn');
  });
  it('lets the employment of a person go on whose end it takes back', () => {
    const after = [...given.slice(0, 3), withdrawn('f3', 'f2')];
    expect(outcome(after, change('2026-07-01'))).toBe('EmploymentChanged');
    expect(outcome(after, end('2026-09-30'))).toBe('EmploymentEnded');
    expect(outcome(after, reactivate('2026-09-30'))).toBe('conflict status');
  });
  it('of a correction bears the date of the fact that stands again, of any other fact the date of that fact', () => {
    const facts = [...given.slice(0, 2), corrected('f2', '2026-03-01', 'f1')].reduce(
      evolveEmployment,
      initialEmployment,
    );
    const decided = [withdraw('f2'), withdraw('f1')].map((command) => decideEmployment(command, facts));
    expect(decided[0]).toMatchObject({ events: [{ data: { effective_date: '2026-02-01', corrects: 'f2' } }] });
    expect(decided[1]).toMatchObject({ rejection: { kind: 'conflict' } });
  });
  it('of the correction of a start without a date bears the date that the correction had', () => {
    const facts = [started(null), corrected('f1', '2026-03-01', 'f0')].reduce(evolveEmployment, initialEmployment);
    expect(decideEmployment(withdraw('f1'), facts)).toMatchObject({
      events: [{ data: { effective_date: '2026-03-01' } }],
    });
  });
  it('may not name a fact that is not there', () => expect(outcome(given, withdraw('f9'))).toBe('not_found corrects'));
  it('takes back no first fact, but its correction', () => {
    expect(outcome(given, withdraw('f0'))).toBe('conflict corrects');
    expect(outcome([...given, corrected('f4', '2026-01-05', 'f0')], withdraw('f4'))).toBe('EmploymentFactWithdrawn');
  });
  it('is refused for a fact that was corrected or withdrawn already', () => {
    expect(outcome([...given, corrected('f4', '2026-02-02', 'f1')], withdraw('f1'))).toBe('conflict corrects');
    expect(outcome([...given, withdrawn('f4', 'f1')], withdraw('f1'))).toBe('conflict corrects');
    expect(outcome([...given, withdrawn('f4', 'f1')], correct('2026-02-02', 'f1'))).toBe('conflict corrects');
  });
  it('lets the corrected fact be corrected again, once', () => {
    const after = [...given, corrected('f4', '2026-02-02', 'f1'), withdrawn('f5', 'f4')];
    expect(outcome(after, correct('2026-02-03', 'f1'))).toBe('EmploymentCorrected');
    expect(outcome([...after, corrected('f6', '2026-02-03', 'f1')], withdraw('f5'))).toBe('conflict corrects');
  });
  it('can be withdrawn, and not corrected', () => {
    const after = [...given, withdrawn('f4', 'f1')];
    expect(outcome(after, withdraw('f4'))).toBe('EmploymentFactWithdrawn');
    expect(outcome(after, correct('2026-02-02', 'f4'))).toBe('conflict corrects');
  });
  it('is refused for an end before a rehire, and for a rehire that has ended', () => {
    expect(outcome(given, withdraw('f2'))).toBe('conflict corrects');
    expect(outcome([...given, ended('f4', '2026-12-31')], withdraw('f3'))).toBe('conflict corrects');
    expect(outcome([...given.slice(0, 3), withdrawn('f3', 'f2'), ended('f4', '2026-12-31')], withdraw('f3'))).toBe(
      'conflict corrects',
    );
  });
  it('is refused where the day that returns lies in another period', () => {
    const moved = [...given.slice(0, 3), corrected('f3', '2026-02-28', 'f2'), reactivated('f4', '2026-03-15')];
    expect(outcome(moved, withdraw('f3'))).toBe('conflict corrects');
    expect(
      outcome([started('2026-01-10'), corrected('f1', '2025-01-10', 'f0'), ended('f2', '2025-12-31')], withdraw('f1')),
    ).toBe('conflict corrects');
  });
  it('needs a reason of one line', () =>
    expect(outcome(given, { ...withdraw('f1'), correctionReason: 'a\nb' } as EmploymentCommand)).toBe(
      'invalid_request correction_reason',
    ));
});

describe('terms', () => {
  it('may not name the person as their own manager', () => {
    for (const command of [start('2026-01-01', { manager_id: PERSON }), change('2026-01-01', { manager_id: PERSON })]) {
      expect(outcome([], command)).toBe('conflict manager_id');
    }
  });
  it.each([-1, 10_081, 1.5, Number.NaN])('may not name %p contracted minutes', (minutes) => {
    expect(outcome([], start('2026-01-01', { contracted_weekly_minutes: minutes }))).toBe(
      'invalid_request contracted_weekly_minutes',
    );
  });
  it.each([0, 10_081, 0.5])('may not name %p full-time minutes', (minutes) => {
    expect(outcome([], start('2026-01-01', { full_time_weekly_minutes: minutes }))).toBe(
      'invalid_request full_time_weekly_minutes',
    );
  });
  it('may name the borders, and null', () => {
    expect(outcome([], start('2026-01-01', { contracted_weekly_minutes: 0, full_time_weekly_minutes: 1 }))).toBe(
      'EmploymentStarted',
    );
    expect(
      outcome([], start('2026-01-01', { contracted_weekly_minutes: 10_080, full_time_weekly_minutes: 10_080 })),
    ).toBe('EmploymentStarted');
    expect(outcome([], start('2026-01-01', { contracted_weekly_minutes: null, full_time_weekly_minutes: null }))).toBe(
      'EmploymentStarted',
    );
  });
});

describe('texts of employment', () => {
  it('a job title is recorded as names are, a blank one as null', () => {
    const titles = ['  Staff   Engineer ', '', null].map((job_title) =>
      decideEmployment(start('2026-01-01', { job_title }), initialEmployment),
    );
    expect(titles).toMatchObject(
      ['Staff Engineer', null, null].map((job_title) => ({ events: [{ data: { terms: { job_title } } }] })),
    );
  });

  it.each(['a\u0007b', 'a\nb', 'a\u202eb'])('a job title may not be %j', (job_title) => {
    expect(outcome([], start('2026-01-01', { job_title }))).toBe('invalid_request job_title');
    expect(outcome([started('2026-01-10')], change('2026-03-01', { job_title }))).toBe('invalid_request job_title');
  });
  it.each(['a\u0007b', 'a\nb', 'a\u2028b'])('the reason of a correction may not be %j', (correctionReason) => {
    expect(
      outcome([started('2026-01-10')], { ...correct('2026-01-10', null), correctionReason } as EmploymentCommand),
    ).toBe('invalid_request correction_reason');
  });
});
