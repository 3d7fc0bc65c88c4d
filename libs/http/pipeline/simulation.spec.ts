import type { HttpError } from '../errors.js';
import type { Operation } from '../operation.js';
import { assertPossible, MAX_LATENCY_MILLISECONDS, parseSimulation, simulatedError } from './simulation.js';

const READ: Operation = {
  operationId: 'readThing',
  summary: '',
  tags: [],
  scope: 'people:read',
  capability: 'x',
  response: null,
  responseKind: 'none',
  successStatus: 204,
  tools: [],
};
const WRITE: Operation = { ...READ, operationId: 'writeThing', write: { ifMatch: 'none' } };

function issueOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    expect([(error as HttpError).code, (error as HttpError).details[0]?.field]).toEqual([
      'invalid_request',
      'Sandbox-Simulate',
    ]);
    return (error as HttpError).details[0]!.issue;
  }
}

describe('the header Sandbox-Simulate', () => {
  it('is optional', () => expect(parseSimulation(undefined)).toBeNull());
  it('names a latency, an outcome, or both', () => {
    expect(parseSimulation('latency=250')).toEqual({ text: 'latency=250', latencyMilliseconds: 250, outcome: null });
    expect(parseSimulation('rate_limited')).toEqual({
      text: 'rate_limited',
      latencyMilliseconds: 0,
      outcome: 'rate_limited',
    });
    expect(parseSimulation(' conflict,latency=20000 ')).toEqual({
      text: 'conflict, latency=20000',
      latencyMilliseconds: MAX_LATENCY_MILLISECONDS,
      outcome: 'conflict',
    });
  });
  it.each([
    ...['', 'nonsense', 'latency=20001', 'latency=-1', 'latency=1e3', 'conflict, not_found', 'toString'],
    ...['Conflict'],
  ])('is refused as %j', (header) => {
    expect(issueOf(() => parseSimulation(header))).toMatch(
      /^must be latency=0 to latency=20000 and at most one of authentication_required, /,
    );
  });
});

describe('a simulated outcome', () => {
  it('occurs at one stage only', () => {
    const statusAt = (header: string, place: 'early' | 'late'): number | undefined =>
      simulatedError(parseSimulation(header), place)?.status;
    expect(statusAt('service_unavailable', 'early')).toBe(503);
    expect(statusAt('service_unavailable', 'late')).toBeUndefined();
    expect([statusAt('conflict', 'early'), statusAt('conflict', 'late')]).toEqual([undefined, 409]);
    expect([statusAt('lost_answer', 'early'), statusAt('lost_answer', 'late'), statusAt('latency=5', 'early')]).toEqual(
      [undefined, undefined, undefined],
    );
    expect(simulatedError(null, 'early')).toBeNull();
  });
  it('is refused if the operation never has it', () => {
    const check = (header: string, operation: Operation) => () => assertPossible(parseSimulation(header)!, operation);
    expect(issueOf(check('conflict', READ))).toBe('readThing never answers conflict');
    expect(issueOf(check('lost_answer', READ))).toBe('readThing never answers lost_answer');
    expect(issueOf(check('precondition_failed', WRITE))).toBe('writeThing never answers precondition_failed');
    for (const header of ['conflict', 'lost_answer', 'not_found', 'service_unavailable', 'latency=1'])
      expect(issueOf(check(header, WRITE))).toBeUndefined();
    for (const header of ['internal_error', 'service_unavailable', 'permission_denied', 'authentication_required'])
      expect(issueOf(check(header, READ))).toBeUndefined();
  });
});
