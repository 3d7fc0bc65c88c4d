import { fold } from '#kernel/aggregate.js';
import { decideMcpPolicy, mcpPolicyAggregate, type McpPolicyCommand, type McpPolicyEvent } from './mcp-policy.js';

const PROPOSABLE = ['createPerson', 'createTimeOff'];
const allowed = (operation: string): McpPolicyEvent => ({ type: 'DirectRunAllowed', data: { operation } });
const withdrawn = (operation: string): McpPolicyEvent => ({ type: 'DirectRunWithdrawn', data: { operation } });

function decided(given: readonly McpPolicyEvent[], type: McpPolicyCommand['type'], ...operations: readonly string[]) {
  return decideMcpPolicy({ type, operations, proposable: PROPOSABLE }, fold(mcpPolicyAggregate, given));
}

describe('the permission to run an operation directly', () => {
  it('is given to each named operation, and taken from each', () => {
    expect(decided([], 'allow', ...PROPOSABLE)).toEqual({ events: PROPOSABLE.map(allowed) });
    expect(decided(PROPOSABLE.map(allowed), 'withdraw', 'createTimeOff')).toEqual({
      events: [withdrawn('createTimeOff')],
    });
  });

  it('is recorded once, however often a command comes and names an operation', () => {
    expect(decided([allowed('createPerson')], 'allow', 'createPerson')).toEqual({ events: [] });
    expect(decided([], 'allow', 'createPerson', 'createPerson')).toEqual({ events: [allowed('createPerson')] });
    expect(decided([], 'withdraw', 'createPerson')).toEqual({ events: [] });
    const given = [allowed('createPerson'), withdrawn('createPerson')];
    expect(decided(given, 'withdraw', 'createPerson')).toEqual({ events: [] });
    expect(decided(given, 'allow', 'createPerson')).toEqual({ events: [allowed('createPerson')] });
  });

  it('is of operations that tools propose only; a refusal names them, and changes nothing', () => {
    for (const type of ['allow', 'withdraw'] as const) {
      expect(decided([], type, 'createPerson', 'createOrgUnit')).toMatchObject({
        rejection: {
          kind: 'invalid_request',
          details: [
            { issue: expect.stringMatching(/^no tool proposes createOrgUnit; .* createPerson, createTimeOff$/) },
          ],
        },
      });
    }
  });

  it('can be taken from an operation that is no longer proposed', () => {
    expect(decided([allowed('former')], 'withdraw', 'former')).toEqual({ events: [withdrawn('former')] });
    expect(decided([allowed('former')], 'allow', 'former')).toMatchObject({ rejection: { kind: 'invalid_request' } });
  });
});
