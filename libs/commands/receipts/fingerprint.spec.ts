import { countTurns } from '../../../test/support/event-loop/count-turns.js';
import { fingerprintInTurns, fingerprintOf } from './fingerprint.js';

const request = {
  method: 'POST',
  route: '/people/:personId/end',
  parameters: { personId: 'a' },
  body: { a: 1, b: [1, { c: null, d: 'ü' }] },
};

describe('a fingerprint', () => {
  it('is the same for any order of the members of the body', () => {
    expect(fingerprintOf({ ...request, body: { b: [1, { d: 'ü', c: null }], a: 1 } })).toBe(fingerprintOf(request));
  });

  it('differs with the method, the route, an id of the path, a value, the order of a list', () => {
    const others = [
      { ...request, method: 'PATCH' },
      { ...request, route: '/people/:personId/reactivate' },
      { ...request, parameters: { personId: 'b' } },
      { ...request, body: { a: '1', b: request.body.b } },
      { ...request, body: { a: 1, b: [{ c: null, d: 'ü' }, 1] } },
      { ...request, body: null },
    ].map(fingerprintOf);
    expect(new Set([fingerprintOf(request), ...others]).size).toBe(others.length + 1);
  });

  it('of megabytes is the same, and yields to other work', async () => {
    const large = { ...request, body: { csv: 'ü😀"\n'.repeat(400_000) } };
    const { result, turns } = await countTurns(() => fingerprintInTurns(large));
    expect(result).toBe(fingerprintOf(large));
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(await fingerprintInTurns(request)).toBe(fingerprintOf(request));
  });
});
