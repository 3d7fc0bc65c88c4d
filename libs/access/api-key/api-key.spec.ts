import { fold } from '#kernel/aggregate.js';
import type { Scope } from '#kernel/scopes.js';
import {
  type ApiKeyCommand,
  type ApiKeyEvent,
  decideApiKey,
  evolveApiKey,
  initialApiKey,
  type KeyDetails,
} from './api-key.js';

const DETAILS: KeyDetails = {
  name: 'Payroll',
  environment: 'live',
  scopes: ['people:read'],
  secret_hash: 'ab'.repeat(32),
  prefix: 'svc_live_',
  last_four: 'wxyz',
  expires_at: null,
};
const NOW = '2026-03-01T12:00:00.000Z';
const CREATED: ApiKeyEvent = { type: 'ApiKeyCreated', data: DETAILS };
const REVOKED: ApiKeyEvent = { type: 'ApiKeyRevoked', data: {} };

function when(command: ApiKeyCommand, ...given: readonly ApiKeyEvent[]) {
  return decideApiKey(command, fold({ initial: initialApiKey, evolve: evolveApiKey }, given));
}

function create(details: Partial<KeyDetails> = {}, ownerIsSandbox = false): ApiKeyCommand {
  return { type: 'create', details: { ...DETAILS, ...details }, ownerIsSandbox, now: NOW };
}

describe('a key that does not exist', () => {
  it('is created', () => expect(when(create())).toEqual({ events: [CREATED] }));

  it.each<[string, Partial<KeyDetails>]>([
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['people:all' as Scope] }],
    ['scopes', { scopes: ['people:read', 'people:read'] }],
    ['name', { name: '' }],
    ['expires_at', { expires_at: NOW }],
    ['expires_at', { expires_at: '2026-03-01T11:59:59.999Z' }],
  ])('is refused for its %s: %j', (field, details) => {
    expect(when(create(details))).toMatchObject({ rejection: { kind: 'invalid_request', details: [{ field }] } });
  });

  it('may expire shortly after the command', () => {
    expect(when(create({ expires_at: '2026-03-01T12:00:00.001Z' }))).toMatchObject({
      events: [{ type: 'ApiKeyCreated' }],
    });
  });

  it('of the sandbox organisation must be a sandbox key', () => {
    expect(when(create({}, true))).toMatchObject({
      rejection: { kind: 'conflict', details: [{ field: 'environment' }] },
    });
    expect(when(create({ environment: 'sandbox' }, true))).toMatchObject({ events: [{ type: 'ApiKeyCreated' }] });
  });

  it('cannot be revoked', () => expect(when({ type: 'revoke' })).toMatchObject({ rejection: { kind: 'not_found' } }));
});

describe('a key', () => {
  it('is not created again', () => expect(when(create(), CREATED)).toMatchObject({ rejection: { kind: 'conflict' } }));

  it('is revoked once, permanently', () => {
    expect(when({ type: 'revoke' }, CREATED)).toEqual({ events: [REVOKED] });
    expect(when({ type: 'revoke' }, CREATED, REVOKED)).toEqual({ events: [] });
  });
});
