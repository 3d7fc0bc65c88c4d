import {
  changed,
  corrected,
  ended,
  rehired,
  started,
  withdrawn,
} from '../../../test/support/people/employment-events.js';
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
const reactivate = (startDate: string): EmploymentCommand => ({ ...dated, type: 'reactivate', startDate, terms: {} });
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

const after = (given: readonly EmploymentEvent[]) => given.reduce(evolveEmployment, initialEmployment);

/**
 * Given these facts, when this command is decided, then the type of the recorded event, or the kind and field
 * of the rejection.
 */
function outcome(given: readonly EmploymentEvent[], when: EmploymentCommand): string {
  const decision = decideEmployment(when, after(given));
  if ('rejection' in decision) return `${decision.rejection.kind} ${decision.rejection.details[0]!.field}`;
  return decision.events.map((event) => event.type).join(', ');
}

type Case = readonly [when: string, given: readonly EmploymentEvent[], command: EmploymentCommand, outcome: string];

const decide = (cases: readonly Case[]): void =>
  it.each(cases)('%s', (_, given, command, expected) => expect(outcome(given, command)).toBe(expected));

describe('nothing recorded', () => {
  it('can be started on a date, with terms', () => {
    const data = { fact_id: 'new', start_date: '2026-01-01', terms: { job_title: 'Engineer' } };
    expect(decideEmployment(start('2026-01-01', { job_title: 'Engineer' }), initialEmployment)).toEqual({
      events: [{ type: 'EmploymentStarted', data }],
    });
  });
  decide([
    ['can be started without a date', [], start(null), 'EmploymentStarted'],
    ['cannot be changed', [], change('2026-01-01'), 'conflict status'],
    ['cannot be corrected', [], correct('2026-01-01', null), 'conflict start_date'],
    ['cannot be ended', [], end('2026-01-01'), 'not_found person_id'],
    ['cannot be reactivated', [], reactivate('2026-01-01'), 'not_found person_id'],
  ]);
});

describe('an open period', () => {
  const given = [started('2026-01-10', { job_title: 'Engineer' })];
  const changedOnce = [...given, changed('f1', '2026-03-01')];
  decide([
    ['is not started again: the command is the same one', given, start('2026-01-10'), ''],
    ['can be changed from its start', given, change('2026-01-10'), 'EmploymentChanged'],
    ['can be changed from a day that is past', given, change('2026-03-01'), 'EmploymentChanged'],
    ['can be changed from today', given, change(TODAY), 'EmploymentChanged'],
    ['can be changed from a day to come', given, change('2027-01-01'), 'EmploymentChanged'],
    ['cannot be changed before its start', given, change('2026-01-09'), 'conflict start_date'],
    ['can be changed twice on one day', changedOnce, change('2026-03-01'), 'EmploymentChanged'],
    ['records what changes nothing', given, change('2026-03-01', { job_title: 'Engineer' }), 'EmploymentChanged'],
    ['can be corrected on any of its days', given, correct('2026-01-10', null), 'EmploymentCorrected'],
    ['cannot be corrected before its start', given, correct('2026-01-09', null), 'conflict start_date'],
    ['can be ended on its first day', given, end('2026-01-10'), 'EmploymentEnded'],
    ['cannot be ended before its start', given, end('2026-01-09'), 'conflict end_date'],
    ['cannot be reactivated', given, reactivate('2027-01-01'), 'conflict status'],
  ]);
});

describe('a period whose start is not dated', () => {
  const undated = [started(null)];
  const given = [...undated, changed('f1', '2026-02-01')];
  decide([
    ['can be changed from any date', undated, change('1999-01-01'), 'EmploymentChanged'],
    ['can be ended on any date', undated, end('1999-01-01'), 'EmploymentEnded'],
    ['starts with its first dated fact: no end before that', given, end('2026-01-31'), 'conflict end_date'],
    ['can be changed before that, and then starts earlier', given, change('2026-01-01'), 'EmploymentChanged'],
    ['can be given its start by a correction', given, correct('2026-01-15', 'f0'), 'EmploymentCorrected'],
  ]);
});

describe('an ended person', () => {
  const past = [started('2026-01-01'), ended('f1', '2026-03-31')];
  const coming = [started('2026-01-01'), ended('f1', '2026-09-30')];
  const today = [started('2026-01-01'), ended('f1', TODAY)];
  decide([
    ['is not ended twice', past, end('2026-03-31'), 'conflict status'],
    ['cannot be changed once the final day is over', past, change('2026-02-01'), 'conflict status'],
    ['can be changed up to a final day that is to come', coming, change('2026-09-30'), 'EmploymentChanged'],
    ['can be changed on the final day itself', today, change(TODAY), 'EmploymentChanged'],
    ['cannot be changed past the final day', coming, change('2026-10-01'), 'conflict start_date'],
    ['can be corrected within the former period', past, correct('2026-03-31', null), 'EmploymentCorrected'],
    ['cannot be corrected past the final day', past, correct('2026-04-01', null), 'conflict start_date'],
    ['can be reactivated from the day after it', past, reactivate('2026-04-01'), 'EmploymentReactivated'],
    ['cannot be reactivated on the final day', past, reactivate('2026-03-31'), 'conflict start_date'],
  ]);
});

describe('a rehired person', () => {
  const former = [started('2026-01-01', { job_title: 'Engineer' }), ended('f1', '2026-03-31')];
  const given = [...former, rehired('f2', '2026-06-01')];
  const coming = [...former, rehired('f2', '2026-09-01')];
  decide([
    ['can be changed in the current period', given, change('2026-06-01'), 'EmploymentChanged'],
    ['cannot be changed in the former period', given, change('2026-02-01'), 'conflict start_date'],
    ['cannot be changed in the gap', given, change('2026-05-31'), 'conflict start_date'],
    ['can be changed in the coming period before it begins', coming, change('2026-10-01'), 'EmploymentChanged'],
    ['can be corrected in the former period', given, correct('2026-02-01', null), 'EmploymentCorrected'],
    ['cannot be corrected in the gap', given, correct('2026-04-01', null), 'conflict start_date'],
    ['can be ended again', given, end('2026-12-31'), 'EmploymentEnded'],
    ['cannot be ended before the new start', given, end('2026-05-31'), 'conflict end_date'],
    ['cannot be reactivated again', given, reactivate('2026-12-01'), 'conflict status'],
  ]);
});

describe('a correction of a fact', () => {
  const former = [started('2026-01-10'), changed('f1', '2026-02-01'), ended('f2', '2026-03-31')];
  const given = [...former, rehired('f3', '2026-06-01')];
  const ofChange = [...given, corrected('f4', '2026-02-02', 'f1')];
  const ofEnd = [...given, corrected('f4', '2026-04-30', 'f2')];
  const ofNone = [...given, corrected('f4', '2026-02-02', null)];
  const TITLE = { job_title: 'X' };
  decide([
    ['may not name a fact that does not exist', given, correct('2026-02-01', 'f9'), 'not_found corrects'],
    ['may move a change within its period', given, correct('2026-03-01', 'f1'), 'EmploymentCorrected'],
    ['may move a change into another period', given, correct('2026-06-01', 'f1'), 'EmploymentCorrected'],
    ['may not move a change before every period', given, correct('2026-01-09', 'f1'), 'conflict start_date'],
    ['may not move a change between periods', given, correct('2026-04-15', 'f1'), 'conflict start_date'],
    ['may move the first start to an earlier day', given, correct('2025-01-01', 'f0'), 'EmploymentCorrected'],
    ['may move the first start as far as its final day', given, correct('2026-03-31', 'f0'), 'EmploymentCorrected'],
    ['may not move the first start past its final day', given, correct('2026-04-01', 'f0'), 'conflict start_date'],
    ['may move a rehire to the day after the prior period', given, correct('2026-04-01', 'f3'), 'EmploymentCorrected'],
    ['may not move a rehire into the prior period', given, correct('2026-03-31', 'f3'), 'conflict start_date'],
    ['may move an end to the first day', given, correct('2026-01-10', 'f2'), 'EmploymentCorrected'],
    ['may move an end to the day before the next period', given, correct('2026-05-31', 'f2'), 'EmploymentCorrected'],
    ['may not move an end before the first day', given, correct('2026-01-09', 'f2'), 'conflict start_date'],
    ['may not move an end into the next period', given, correct('2026-06-01', 'f2'), 'conflict start_date'],
    ['of an end names no terms', given, correct('2026-03-30', 'f2', TITLE), 'invalid_request job_title'],
    ['is refused if the fact is already superseded', ofChange, correct('2026-02-03', 'f1'), 'conflict corrects'],
    ['may correct the correction', ofEnd, correct('2026-05-01', 'f4'), 'EmploymentCorrected'],
    [
      'of a correction keeps the kind of the first fact',
      ofEnd,
      correct('2026-05-01', 'f4', TITLE),
      'invalid_request job_title',
    ],
    ['may correct one that named no fact', ofNone, correct('2026-02-03', 'f4'), 'EmploymentCorrected'],
  ]);
});

describe('a withdrawal', () => {
  const former = [started('2026-01-10'), changed('f1', '2026-02-01'), ended('f2', '2026-03-31')];
  const given = [...former, rehired('f3', '2026-06-01')];
  const endless = [...former, withdrawn('f3', 'f2')];
  const endedAgain = [...endless, ended('f4', '2026-12-31')];
  const earlier = [...given, corrected('f4', '2026-01-05', 'f0')];
  const correctedChange = [...given, corrected('f4', '2026-02-02', 'f1')];
  const restoredChange = [...correctedChange, withdrawn('f5', 'f4')];
  const correctedAgain = [...restoredChange, corrected('f6', '2026-02-03', 'f1')];
  const withdrawnChange = [...given, withdrawn('f4', 'f1')];
  const moved = [...former, corrected('f3', '2026-02-28', 'f2'), rehired('f4', '2026-03-15')];
  const movedStart = [started('2026-01-10'), corrected('f1', '2025-01-10', 'f0'), ended('f2', '2025-12-31')];
  const twoLines = { ...withdraw('f1'), correctionReason: 'a\nb' } as EmploymentCommand;
  decide([
    ['takes back a change', given, withdraw('f1'), 'EmploymentFactWithdrawn'],
    ['takes back an end', former, withdraw('f2'), 'EmploymentFactWithdrawn'],
    ['takes back a rehire', given, withdraw('f3'), 'EmploymentFactWithdrawn'],
    ['of an end lets the employment be changed', endless, change('2026-07-01'), 'EmploymentChanged'],
    ['of an end lets the employment be ended', endless, end('2026-09-30'), 'EmploymentEnded'],
    ['of an end leaves nothing to reactivate', endless, reactivate('2026-09-30'), 'conflict status'],
    ['may not name a fact that does not exist', given, withdraw('f9'), 'not_found corrects'],
    ['takes back no first fact', given, withdraw('f0'), 'conflict corrects'],
    ['takes back the correction of a first fact', earlier, withdraw('f4'), 'EmploymentFactWithdrawn'],
    ['is refused for a fact that was corrected already', correctedChange, withdraw('f1'), 'conflict corrects'],
    ['is refused for a fact that was withdrawn already', withdrawnChange, withdraw('f1'), 'conflict corrects'],
    ['lets its fact not be corrected', withdrawnChange, correct('2026-02-02', 'f1'), 'conflict corrects'],
    ['lets the corrected fact be corrected again', restoredChange, correct('2026-02-03', 'f1'), 'EmploymentCorrected'],
    ['is not withdrawn once that was', correctedAgain, withdraw('f5'), 'conflict corrects'],
    ['can be withdrawn', withdrawnChange, withdraw('f4'), 'EmploymentFactWithdrawn'],
    ['cannot be corrected', withdrawnChange, correct('2026-02-02', 'f4'), 'conflict corrects'],
    ['is refused for an end before a rehire', given, withdraw('f2'), 'conflict corrects'],
    ['is refused for a rehire that ended', [...given, ended('f4', '2026-12-31')], withdraw('f3'), 'conflict corrects'],
    ['is not withdrawn once another end was recorded', endedAgain, withdraw('f3'), 'conflict corrects'],
    ['is refused where the day that returns lies in another period', moved, withdraw('f3'), 'conflict corrects'],
    ['is refused where the start that returns lies past the end', movedStart, withdraw('f1'), 'conflict corrects'],
    ['needs a reason of one line', given, twoLines, 'invalid_request correction_reason'],
  ]);
  it.each([
    ['a change bears the date that stands again', '2026-02-01', 'f1', given.slice(0, 2)],
    ['a start without a date bears its own', '2026-03-01', 'f0', [started(null)]],
  ])('of the correction of %s', (_, effective_date, fact, facts) =>
    expect(decideEmployment(withdraw('f9'), after([...facts, corrected('f9', '2026-03-01', fact)]))).toMatchObject({
      events: [{ data: { effective_date, corrects: 'f9' } }],
    }),
  );
});

describe('terms', () => {
  const MINUTES = 'invalid_request contracted_weekly_minutes';
  const FULL_TIME = 'invalid_request full_time_weekly_minutes';
  const minutes = (contracted_weekly_minutes: number | null, full_time_weekly_minutes: number | null = null) =>
    start('2026-01-01', { contracted_weekly_minutes, full_time_weekly_minutes });
  it('may not name the person as their own manager', () => {
    for (const command of [start('2026-01-01', { manager_id: PERSON }), change('2026-01-01', { manager_id: PERSON })])
      expect(outcome([], command)).toBe('conflict manager_id');
  });
  it.each([-1, 10_081, 1.5, Number.NaN])('may not name %p contracted minutes', (contracted) =>
    expect(outcome([], minutes(contracted))).toBe(MINUTES),
  );
  it.each([0, 10_081, 0.5])('may not name %p full-time minutes', (fullTime) =>
    expect(outcome([], minutes(null, fullTime))).toBe(FULL_TIME),
  );
  it('may name the borders, and null', () => {
    for (const command of [minutes(0, 1), minutes(10_080, 10_080), minutes(null)])
      expect(outcome([], command)).toBe('EmploymentStarted');
  });
});

describe('texts of employment', () => {
  it.each([
    ['  Staff   Engineer ', 'Staff Engineer'],
    ['', null],
    [null, null],
  ])('a job title is recorded as names are, a blank one as null: %j', (job_title, recorded) =>
    expect(decideEmployment(start('2026-01-01', { job_title }), initialEmployment)).toMatchObject({
      events: [{ data: { terms: { job_title: recorded } } }],
    }),
  );
  it.each(['a\u0007b', 'a\nb', 'a\u202eb'])('a job title may not be %j', (job_title) => {
    expect(outcome([], start('2026-01-01', { job_title }))).toBe('invalid_request job_title');
    expect(outcome([started('2026-01-10')], change('2026-03-01', { job_title }))).toBe('invalid_request job_title');
  });
  it.each(['a\u0007b', 'a\nb', 'a\u2028b'])('the reason of a correction may not be %j', (correctionReason) => {
    const command = { ...correct('2026-01-10', null), correctionReason } as EmploymentCommand;
    expect(outcome([started('2026-01-10')], command)).toBe('invalid_request correction_reason');
  });
});
