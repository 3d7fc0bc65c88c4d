import { fold } from '#kernel/aggregate.js';
import {
  decidePayrollMarkers,
  evolvePayrollMarkers,
  initialPayrollMarkers,
  type PayrollMarkerCommand,
  type PayrollMarkerEvent,
} from './payroll-marker.js';

const FACT = { marker: 'compensation', state: 'changed', effective_date: '2026-03-01' } as const;
const RECORDED: PayrollMarkerEvent = { type: 'PayrollMarkerRecorded', data: { marker_id: 'one', ...FACT } };
const WITHDRAWN: PayrollMarkerEvent = {
  type: 'PayrollMarkerWithdrawn',
  data: { marker_id: 'two', withdraws: 'one', ...FACT },
};

function when(command: PayrollMarkerCommand, ...given: readonly PayrollMarkerEvent[]) {
  return decidePayrollMarkers(command, fold({ initial: initialPayrollMarkers, evolve: evolvePayrollMarkers }, given));
}

describe('markers of payroll', () => {
  it('are recorded, and once as long as they stand', () => {
    expect(when({ type: 'mark', markerId: 'one', fact: FACT })).toEqual({ events: [RECORDED] });
    expect(when({ type: 'mark', markerId: 'two', fact: FACT }, RECORDED)).toEqual({ events: [] });
    expect(
      when({ type: 'mark', markerId: 'one', fact: FACT }, {
        ...WITHDRAWN,
        data: { ...WITHDRAWN.data, withdraws: 'zero' },
      } as PayrollMarkerEvent),
    ).toEqual({ events: [RECORDED] });
    const later = { ...FACT, effective_date: '2026-04-01' };
    expect(when({ type: 'mark', markerId: 'two', fact: later }, RECORDED)).toMatchObject({ events: [{ data: later }] });
  });

  it('are withdrawn once, and recorded again afterwards', () => {
    const withdraw: PayrollMarkerCommand = { type: 'withdraw', markerId: 'two', withdraws: 'one' };
    expect(when(withdraw, RECORDED)).toEqual({ events: [WITHDRAWN] });
    expect(when(withdraw, RECORDED, WITHDRAWN)).toEqual({ events: [] });
    expect(when({ type: 'mark', markerId: 'three', fact: FACT }, RECORDED, WITHDRAWN)).toMatchObject({
      events: [{ data: FACT }],
    });
    expect(when(withdraw)).toMatchObject({ rejection: { kind: 'not_found', details: [{ field: 'withdraws' }] } });
  });

  it.each(['2026-02-30', '1899-12-31', 'tomorrow'])('are refused on %s', (effective_date) => {
    expect(when({ type: 'mark', markerId: 'one', fact: { ...FACT, effective_date } })).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field: 'effective_date' }] },
    });
  });
});
