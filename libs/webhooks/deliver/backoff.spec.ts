import fc from 'fast-check';
import { ATTEMPT_TIMES, pauseAfter } from './backoff.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEP = fc.integer({ min: 1, max: ATTEMPT_TIMES.length - 1 });
const RANDOM = fc.double({ min: 0, max: 1, noNaN: true });
const RETRY_AFTER = fc.option(fc.integer({ min: 0, max: 100 * HOUR }));

describe('the pauses between attempts', () => {
  it('add up to the times since the first attempt that the schedule names', () => {
    const pauses = Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, 0.5, null)!);
    const times = pauses.map((_, index) => pauses.slice(0, index + 1).reduce((sum, pause) => sum + pause, 0));
    expect(times).toEqual([
      MINUTE,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
    ]);
  });
  it('end after the tenth attempt, whatever the receiver asks for', () => {
    expect(pauseAfter(9, 0.5, null)).not.toBeNull();
    expect(pauseAfter(10, 0.5, null)).toBeNull();
    expect(pauseAfter(10, 0.5, HOUR)).toBeNull();
    expect(pauseAfter(11, 0.5, null)).toBeNull();
  });
  it('vary by a tenth in both directions', () => {
    expect([pauseAfter(1, 0, null), pauseAfter(1, 1, null)]).toEqual([54_000, 66_000]);
    fc.assert(
      fc.property(STEP, RANDOM, (step, random) => {
        const pause = ATTEMPT_TIMES[step]! - ATTEMPT_TIMES[step - 1]!;
        const jittered = pauseAfter(step, random, null)!;
        expect(jittered).toBeGreaterThanOrEqual(Math.floor(pause * 0.9));
        expect(jittered).toBeLessThanOrEqual(Math.ceil(pause * 1.1) + 1);
      }),
    );
  });
  it('grow with the random number', () => {
    fc.assert(
      fc.property(STEP, RANDOM, RANDOM, (step, one, other) =>
        one <= other ? pauseAfter(step, one, null)! <= pauseAfter(step, other, null)! : true,
      ),
    );
  });
  it('never undercut Retry-After up to 24 hours, nor exceed it where it is the longer', () => {
    fc.assert(
      fc.property(STEP, RANDOM, RETRY_AFTER, (step, random, retryAfter) => {
        const asked = Math.min(retryAfter ?? 0, 24 * HOUR);
        expect(pauseAfter(step, random, retryAfter)).toBe(Math.max(asked, pauseAfter(step, random, null)!));
      }),
    );
  });
  it('are whole milliseconds', () => {
    fc.assert(
      fc.property(STEP, RANDOM, RETRY_AFTER, (step, random, retryAfter) =>
        Number.isInteger(pauseAfter(step, random, retryAfter)),
      ),
    );
  });
  it.each([0, -1, 1.5, Number.NaN])('are not asked for after %p attempts', (step) => {
    expect(() => pauseAfter(step, 0.5, null)).toThrow(RangeError);
  });
});
