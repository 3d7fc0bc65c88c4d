import { fold } from '#kernel/aggregate.js';
import {
  decideSandbox,
  evolveSandbox,
  initialSandbox,
  type SandboxCommand,
  type SandboxEvent,
  type SandboxState,
} from './sandbox.js';

const DAY = '2026-03-01';
const prepared = (tenant_id: string): SandboxEvent => ({ type: 'SandboxPrepared', data: { tenant_id } });
const opened = (tenant_id: string): SandboxEvent => ({ type: 'SandboxOpened', data: { tenant_id, opened_on: DAY } });
const given = (...events: readonly SandboxEvent[]): SandboxState =>
  fold({ initial: initialSandbox, evolve: evolveSandbox }, events);
const prepare = (tenantId: string): SandboxCommand => ({ type: 'prepare', tenantId });
const open = (tenantId: string): SandboxCommand => ({ type: 'open', tenantId, openedOn: DAY });

describe('a sandbox', () => {
  it('opens a prepared tenant, which is then the current one', () => {
    expect(decideSandbox(prepare('a'), given())).toEqual({ events: [prepared('a')] });
    expect(decideSandbox(open('a'), given(prepared('a')))).toEqual({ events: [opened('a')] });
    expect(given(prepared('a'), opened('a'))).toEqual({
      tenantId: 'a',
      openedOn: DAY,
      formerTenants: [],
      preparedTenants: [],
    });
  });
  it('counts the previous tenant as former, and those whose refresh was interrupted', () => {
    const state = given(prepared('a'), opened('a'), prepared('b'), prepared('c'), opened('c'));
    expect(state).toEqual({ tenantId: 'c', openedOn: DAY, formerTenants: ['a', 'b'], preparedTenants: [] });
    expect(
      given(prepared('a'), opened('a'), prepared('b'), opened('b'), prepared('c'), opened('c')).formerTenants,
    ).toEqual(['a', 'b']);
    expect(given(prepared('a'), opened('a'), prepared('b'))).toMatchObject({
      tenantId: 'a',
      formerTenants: [],
      preparedTenants: ['b'],
    });
  });
  it('records nothing for a repeated command', () => {
    expect(decideSandbox(prepare('a'), given(prepared('a')))).toEqual({ events: [] });
    expect(decideSandbox(open('a'), given(prepared('a'), opened('a')))).toEqual({ events: [] });
  });
  it('never opens a discarded tenant again', () => {
    expect(() => decideSandbox(open('a'), given(prepared('a'), opened('a'), prepared('b'), opened('b')))).toThrow(
      'was not prepared',
    );
    expect(() => decideSandbox(open('z'), given())).toThrow('was not prepared');
  });
});
