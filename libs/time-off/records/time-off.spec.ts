import { fold } from '#kernel/aggregate.js';
import {
  decideTimeOff,
  type Entry,
  evolveCalendar,
  initialCalendar,
  type TimeOffCalendar,
  type TimeOffCommand,
  type TimeOffEvent,
} from './time-off.js';

const ENTRY: Entry = {
  category_id: 'toc_a',
  is_standard: true,
  requires_approval: true,
  start_date: '2026-03-02',
  end_date: '2026-03-03',
  start_day_part: 'full',
  end_day_part: 'full',
  days: [
    { date: '2026-03-02', day_part: 'full', minutes: 450, counted: true, reason: 'working_day' },
    { date: '2026-03-03', day_part: 'full', minutes: 450, counted: true, reason: 'working_day' },
  ],
  total_minutes: 900,
  total_days: 2,
};
const entry = (fields: Partial<Entry> = {}): Entry => ({ ...ENTRY, ...fields });
const requested = (id = 'a', fields: Partial<Entry> = {}): TimeOffEvent => ({
  type: 'TimeOffRequested',
  data: { time_off_id: id, status: 'pending', entry: entry(fields) },
});
const APPROVED: TimeOffEvent = { type: 'TimeOffApproved', data: { time_off_id: 'a' } };
const REJECTED: TimeOffEvent = { type: 'TimeOffRejected', data: { time_off_id: 'a' } };
const CANCELLED: TimeOffEvent = { type: 'TimeOffCancelled', data: { time_off_id: 'a', because: 'requested' } };

const given = (...events: readonly TimeOffEvent[]): TimeOffCalendar =>
  fold({ initial: initialCalendar, evolve: evolveCalendar }, events);
const when = (command: TimeOffCommand, ...events: readonly TimeOffEvent[]) => decideTimeOff(command, given(...events));
const request = (id: string, fields: Partial<Entry> = {}): TimeOffCommand => ({
  type: 'request',
  timeOffId: id,
  entry: entry(fields),
});
const change = (fields: Partial<Entry>): TimeOffCommand => ({ type: 'change', timeOffId: 'a', entry: entry(fields) });
const refused = (kind: string, field: string, issue: string) => ({
  rejection: { kind, message: issue, details: [{ field, issue }] },
});
const OVERLAP = refused('conflict', 'start_date', 'a selected date overlaps other time off of this person');

describe('a request', () => {
  it('is pending if its category requires approval, otherwise approved', () => {
    expect(when(request('a'))).toEqual({ events: [requested('a')] });
    const free = { requires_approval: false };
    expect(when(request('a', free))).toEqual({
      events: [{ type: 'TimeOffRequested', data: { time_off_id: 'a', status: 'approved', entry: entry(free) } }],
    });
  });

  it('is refused if no day counts', () => {
    const days = ENTRY.days.map((day) => ({ ...day, minutes: 0, counted: false, reason: 'public_holiday' as const }));
    expect(when(request('a', { days }))).toEqual(
      refused('invalid_request', 'start_date', 'none of these days counts: they are days off or public holidays'),
    );
  });

  it('is refused if it overlaps a pending or an approved record, with the same message', () => {
    expect(when(request('b', { start_date: '2026-03-03', end_date: '2026-03-04' }), requested())).toEqual(OVERLAP);
    expect(when(request('b'), requested('a', { category_id: 'toc_b' }), APPROVED)).toEqual(OVERLAP);
  });

  it('overlaps nothing that is rejected, cancelled or not standard, nor does what is not standard', () => {
    for (const final of [REJECTED, CANCELLED])
      expect(when(request('b'), requested(), final)).toMatchObject({ events: [{ type: 'TimeOffRequested' }] });
    expect(when(request('b'), requested('a', { is_standard: false }))).toMatchObject({ events: [{}] });
    expect(when(request('b', { is_standard: false }), requested())).toMatchObject({ events: [{}] });
  });

  it('is not made twice under one id', () => {
    expect(when(request('a', { start_date: '2026-04-01', end_date: '2026-04-01' }), requested())).toMatchObject({
      rejection: { kind: 'conflict', details: [{ field: 'id' }] },
    });
  });
});

describe('a change', () => {
  const SHORTER = { end_date: '2026-03-02', days: ENTRY.days.slice(0, 1), total_minutes: 450, total_days: 1 };
  const changed = (status: 'pending' | 'approved', fields: Partial<Entry>): TimeOffEvent => ({
    type: 'TimeOffChanged',
    data: { time_off_id: 'a', status, entry: entry(fields) },
  });

  it('makes an approved record pending again, unless its category needs no approval', () => {
    expect(when(change(SHORTER), requested(), APPROVED)).toEqual({ events: [changed('pending', SHORTER)] });
    const free = { ...SHORTER, requires_approval: false };
    expect(when(change(free), requested(), APPROVED)).toEqual({ events: [changed('approved', free)] });
  });

  it('that changes nothing records nothing, however the days would be counted now', () => {
    expect(when(change({ total_minutes: 1, requires_approval: false }), requested(), APPROVED)).toEqual({ events: [] });
  });

  it('is refused where it would overlap another record, never for overlapping itself', () => {
    const later = { start_date: '2026-03-04', end_date: '2026-03-05' };
    expect(when(change({ end_date: '2026-03-04' }), requested(), requested('b', later))).toEqual(OVERLAP);
    expect(when(change({ end_date: '2026-03-04' }), requested())).toMatchObject({
      events: [{ type: 'TimeOffChanged' }],
    });
  });

  it('is refused for a final and for a missing record', () => {
    expect(when(change(SHORTER), requested(), REJECTED)).toEqual(
      refused('conflict', 'status_code', 'this time off is rejected, which is final'),
    );
    expect(when(change(SHORTER), requested(), CANCELLED)).toEqual(
      refused('conflict', 'status_code', 'this time off is cancelled, which is final'),
    );
    expect(when(change(SHORTER))).toEqual(refused('not_found', 'time_off_id', 'there is no such time-off record'));
  });
});

describe('a step', () => {
  const step = (type: 'approve' | 'reject' | 'cancel' | 'withdraw'): TimeOffCommand => ({ type, timeOffId: 'a' });
  const already = (status: string) => refused('conflict', 'status_code', `this time off is already ${status}`);
  const final = (status: string) => refused('conflict', 'status_code', `this time off is ${status}, which is final`);

  it('leads from pending to approved, rejected or cancelled', () => {
    expect(when(step('approve'), requested())).toEqual({ events: [APPROVED] });
    expect(when(step('reject'), requested())).toEqual({ events: [REJECTED] });
    for (const type of ['cancel', 'withdraw'] as const)
      expect(when(step(type), requested())).toEqual({ events: [CANCELLED] });
  });

  it('leads from approved to cancelled only', () => {
    expect(when(step('cancel'), requested(), APPROVED)).toEqual({ events: [CANCELLED] });
    expect(when(step('approve'), requested(), APPROVED)).toEqual(already('approved'));
    expect(when(step('reject'), requested(), APPROVED)).toEqual(
      refused('conflict', 'status_code', 'this time off is approved: it can be cancelled, not rejected'),
    );
    expect(when(step('withdraw'), requested(), APPROVED)).toEqual(
      refused('conflict', 'status_code', 'this time off is approved: only HR can cancel it'),
    );
  });

  it('is refused for rejected and cancelled records', () => {
    for (const [event, status, same] of [
      [REJECTED, 'rejected', 'reject'],
      [CANCELLED, 'cancelled', 'cancel'],
    ] as const) {
      for (const type of ['approve', 'reject', 'cancel'] as const) {
        expect(when(step(type), requested(), event)).toEqual(type === same ? already(status) : final(status));
      }
    }
  });

  it('is refused without a record', () => {
    for (const type of ['approve', 'reject', 'cancel'] as const)
      expect(when(step(type))).toMatchObject({ rejection: { kind: 'not_found' } });
  });
});

describe('a cut', () => {
  const shorter = entry({ end_date: '2026-03-02', days: ENTRY.days.slice(0, 1), total_minutes: 450, total_days: 1 });
  const SHORTER: TimeOffEvent = { type: 'TimeOffCut', data: { time_off_id: 'a', entry: shorter } };
  const because = 'employment_ended';
  const cancelled = (time_off_id: string, reason: 'employment_ended' | 'employment_starts_later'): TimeOffEvent => ({
    type: 'TimeOffCancelled',
    data: { time_off_id, because: reason },
  });
  const cut = (...cuts: Extract<TimeOffCommand, { type: 'cut' }>['cuts']): TimeOffCommand => ({ type: 'cut', cuts });
  const left = (timeOffId: string, rest: Entry | null) => ({ timeOffId, entry: rest, because }) as const;

  it('keeps the remaining days with their status, and cancels a record without remaining days', () => {
    const both = cut(left('a', shorter), left('b', null));
    expect(when(both, requested(), APPROVED, requested('b'))).toEqual({ events: [SHORTER, cancelled('b', because)] });
    expect(given(requested(), APPROVED, SHORTER).records.get('a')).toMatchObject({
      status: 'approved',
      total_minutes: 450,
      revision: 2,
    });
  });

  it('says why it cancels', () => {
    const later = 'employment_starts_later';
    expect(when(cut({ timeOffId: 'a', entry: null, because: later }), requested())).toEqual({
      events: [cancelled('a', later)],
    });
  });

  it('records nothing for a record that is already cut, final or missing', () => {
    expect(when(cut(left('a', shorter), left('c', null)), requested(), SHORTER)).toEqual({ events: [] });
    for (const event of [REJECTED, CANCELLED])
      expect(when(cut(left('a', null)), requested(), event)).toEqual({ events: [] });
  });
});
