import {
  decideWriteProposal,
  evolveWriteProposal,
  initialWriteProposal,
  type WriteProposalCommand,
  type WriteProposalEvent,
} from './write-proposal.js';

const PROPOSED = {
  operation: 'changeEmployment',
  key_id: 'key_assistant',
  environment: 'live',
  person_id: '7k2m9qx4hz1c',
  entity_tag: 't1.abc',
  expires_at: '2026-03-04T12:00:00.000Z',
  sealed: 'c2VhbGVk',
} as const;
const NOW = '2026-03-01T12:00:00.000Z';
const LEAD = { type: 'api_key', id: 'key_lead' } as const;
const ASSISTANT = { type: 'api_key', id: 'key_assistant' } as const;
const proposed: WriteProposalEvent = { type: 'WriteProposed', data: PROPOSED };
const approved: WriteProposalEvent = { type: 'WriteProposalApproved', data: { approved_by: LEAD } };
const rejected: WriteProposalEvent = { type: 'WriteProposalRejected', data: { rejected_by: LEAD } };
const cancelled: WriteProposalEvent = { type: 'WriteProposalCancelled', data: {} };
const refusal = { code: 'precondition_failed', message: 'The resource has changed since it was read.' };

const given = (...events: readonly WriteProposalEvent[]) => ({
  when: (command: WriteProposalCommand) =>
    decideWriteProposal(command, events.reduce(evolveWriteProposal, initialWriteProposal)),
});
const approve = { type: 'approve', by: LEAD, isRelated: false, now: NOW } as const;
const reject = { type: 'reject', by: LEAD, now: NOW } as const;
const cancel = { type: 'cancel', keyId: 'key_assistant', now: NOW } as const;

it('is proposed once', () => {
  expect(given().when({ type: 'propose', proposed: PROPOSED })).toEqual({ events: [proposed] });
  expect(given(proposed).when({ type: 'propose', proposed: PROPOSED })).toMatchObject({
    rejection: { kind: 'conflict' },
  });
});

it.each([
  [approve, approved],
  [reject, rejected],
  [cancel, cancelled],
])('accepts %j while it is pending', (command, event) => {
  expect(given(proposed).when(command)).toEqual({ events: [event] });
});

it.each([[approve], [reject], [cancel]])(
  'refuses %j once it has ended, from its expiry on, and if there is no proposal',
  (command) => {
    for (const end of [approved, rejected])
      expect(given(proposed, end).when(command)).toMatchObject({ rejection: { kind: 'conflict' } });
    expect(given(proposed).when({ ...command, now: PROPOSED.expires_at })).toMatchObject({
      rejection: { kind: 'conflict' },
    });
    expect(given().when(command)).toMatchObject({ rejection: { kind: 'not_found' } });
  },
);

it('cannot be decided by the proposing key, and only that key withdraws it', () => {
  for (const command of [approve, reject])
    expect(given(proposed).when({ ...command, by: ASSISTANT })).toMatchObject({
      rejection: { kind: 'permission_denied' },
    });
  expect(given(proposed).when({ ...cancel, keyId: 'key_lead' })).toMatchObject({
    rejection: { kind: 'permission_denied' },
  });
  expect(given(proposed).when({ ...approve, isRelated: true })).toMatchObject({
    rejection: { kind: 'permission_denied' },
  });
  // An operator's login name may equal the id of a key.
  expect(given(proposed).when({ ...approve, by: { type: 'operator', id: 'key_assistant' } })).toHaveProperty('events');
});

it('records a repeated withdrawal once', () => expect(given(proposed, cancelled).when(cancel)).toEqual({ events: [] }));

it('expires at the end of its lifetime without a decision', () => {
  expect(given(proposed).when({ type: 'expire', now: NOW })).toEqual({ events: [] });
  expect(given(proposed).when({ type: 'expire', now: PROPOSED.expires_at })).toEqual({
    events: [{ type: 'WriteProposalExpired', data: {} }],
  });
  expect(given(proposed, approved).when({ type: 'expire', now: PROPOSED.expires_at })).toEqual({ events: [] });
});

it('records the outcome of an approved write once', () => {
  const applied: WriteProposalEvent = { type: 'WriteProposalApplied', data: {} };
  expect(given(proposed, approved).when({ type: 'note_applied' })).toEqual({ events: [applied] });
  expect(given(proposed, approved).when({ type: 'note_overtaken', refusal })).toEqual({
    events: [{ type: 'WriteProposalOvertaken', data: refusal }],
  });
  for (const end of [applied, { type: 'WriteProposalOvertaken', data: refusal } as const]) {
    expect(given(proposed, approved, end).when({ type: 'note_applied' })).toEqual({ events: [] });
    expect(given(proposed, approved, end).when({ type: 'note_overtaken', refusal })).toEqual({ events: [] });
  }
  expect(given(proposed).when({ type: 'note_applied' })).toEqual({ events: [] });
});
