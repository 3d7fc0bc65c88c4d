import { Bench, NO_ANSWER, SOON } from '../../../../test/support/webhooks/dispatch-bench.js';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => expect(bench.errors).toEqual([]));

describe('dispatching', () => {
  it('attempts so many of an endpoint at once, claims them together, and goes on as they are answered', async () => {
    await bench.prove('a');
    await bench.offer('a', 10);
    expect([bench.inFlight('a'), bench.claims]).toEqual([4, [4]]);
    await bench.answer('a');
    expect([bench.inFlight('a'), bench.claims]).toEqual([4, [4, 4]]);
    await bench.answer('a');
    expect(bench.inFlight('a')).toBe(2);
    await bench.answer('a');
    expect([bench.recorded, bench.dispatcher.waiting]).toEqual([bench.begun, 0]);
    expect(bench.recorded).toHaveLength(10);
  });

  it('takes note of a delivery once, however often it is offered while it waits', async () => {
    await bench.offer('a', 2);
    for (let time = 0; time < 3; time += 1)
      bench.dispatcher.offer({ organisationId: 'acme', webhookId: 'a', deliveryIds: ['one', 'other'] });
    expect(bench.dispatcher.waiting).toBe(2);
  });

  it('gives back the slots of what somebody else has claimed, and of a claim that failed', async () => {
    const claim = bench.claim;
    bench.claim = async () => [];
    await bench.offer('a', 2);
    bench.claim = async () => Promise.reject(new Error('away'));
    await bench.offer('b', 2);
    expect(bench.errors.splice(0)).toEqual([new Error('away')]);
    bench.claim = claim;
    await bench.offer('a', 2);
    await bench.offer('b', 2);
    expect([bench.inFlight('a'), bench.inFlight('b')]).toEqual([2, 2]);
  });

  it('stops when what is under way is recorded, and begins nothing more', async () => {
    await bench.offer('a', 10);
    const stopped = bench.dispatcher.stop();
    await bench.offer('b', 1);
    await bench.answer('a');
    await stopped;
    expect([bench.recorded.length, bench.begun.length]).toEqual([2, 2]);
  });

  it('names what waited when it stopped, for other processes, and nothing that is in flight', async () => {
    await bench.offer('a', 4);
    await bench.offer('b', 3, { isAgain: true });
    const stopped = bench.dispatcher.stop();
    await bench.answer('');
    expect(await stopped).toEqual([
      { organisationId: 'acme', webhookId: 'a', deliveryIds: ['a2', 'a3'], isAgain: false, hasMore: false },
      { organisationId: 'acme', webhookId: 'b', deliveryIds: ['bagain1', 'bagain2'], isAgain: true, hasMore: false },
    ]);
  });

  it('is crowded in a lane where more wait than the lane attempts at once', async () => {
    const lane = { organisationId: 'acme', webhookId: 'a', isAgain: false };
    await bench.offer('a', 4);
    expect(bench.dispatcher.isCrowded(lane)).toBe(false);
    await bench.offer('a', 5);
    expect([bench.dispatcher.isCrowded(lane), bench.dispatcher.isCrowded({ ...lane, isAgain: true })]).toEqual([true, false]);
  });

  it('stops when all are recorded that can be, where one cannot', async () => {
    bench.unrecordable = 'a0';
    await bench.offer('a', 2);
    const stopped = bench.dispatcher.stop();
    await bench.answer('a0');
    let hasStopped = false;
    void stopped.then(() => (hasStopped = true));
    await bench.time.settle();
    expect([hasStopped, bench.inFlight('a')]).toEqual([false, 1]);
    await bench.answer('a');
    await stopped;
    expect([bench.recorded, bench.errors.splice(0)]).toEqual([['a1'], [new Error('not recorded')]]);
  });
});

describe('a receiver', () => {
  it('has few slots until it has answered, and then all', async () => {
    await bench.offer('a', 10);
    expect(bench.inFlight('a')).toBe(2);
    await bench.answer('a');
    expect(bench.inFlight('a')).toBe(4);
  });

  it('that does not answer has one slot, of a pool of its own, until it answers in time', async () => {
    await bench.offer('dead', 9);
    await bench.answer('dead', NO_ANSWER);
    expect([bench.inFlight('dead'), bench.dispatcher.inFlight('slow'), bench.dispatcher.inFlight('unproven')]).toEqual([1, 1, 0]);
    await bench.answer('dead', { durationMs: 3_001 });
    expect(bench.inFlight('dead')).toBe(1);
    await bench.answer('dead', { durationMs: 2_999 });
    expect([bench.inFlight('dead'), bench.dispatcher.inFlight('first')]).toEqual([4, 4]);
  });

  it('that hangs is known as slow before its attempt has ended', async () => {
    await bench.prove('a');
    await bench.offer('a', 4);
    await bench.time.pass(3_000);
    await bench.offer('a', 20);
    expect(bench.inFlight('a')).toBe(4);
    await bench.answer('a', NO_ANSWER);
    expect([bench.inFlight('a'), bench.dispatcher.inFlight('slow')]).toEqual([1, 1]);
  });

  it('has slots for first attempts whatever is to be tried again', async () => {
    await bench.prove('a');
    await bench.offer('a', 9, { isAgain: true });
    expect(bench.inFlight('a')).toBe(2);
    await bench.offer('a', 9);
    expect(bench.inFlight('a')).toBe(6);
    expect([bench.dispatcher.inFlight('later'), bench.dispatcher.inFlight('first')]).toEqual([2, 4]);
  });
});

describe('receivers that hang', () => {
  it('leave their slots to others after a moment, in the same organisation and beyond', async () => {
    await bench.prove('a', 'b', 'c', 'd', 'other');
    for (const id of ['a', 'b']) await bench.offer(id, 9);
    // What is kept of the organisation lets one more lane begin.
    for (const id of ['c', 'd']) await bench.offer(id, 9);
    expect([bench.inFlight('a'), bench.inFlight('b'), bench.inFlight('c'), bench.inFlight('d')]).toEqual([4, 2, 0, 0]);
    await bench.offer('other', 9, { organisationId: 'other' });
    expect(bench.inFlight('other')).toBe(1);
    await bench.time.pass(1_000);
    expect(bench.dispatcher.inFlight('lingering')).toBe(7);
    expect([bench.inFlight('a'), bench.inFlight('b'), bench.inFlight('c'), bench.inFlight('d'), bench.inFlight('other')]).toEqual([
      4, 2, 1, 1, 4,
    ]);
  });

  it('of many organisations leave the last slots to those that have none', async () => {
    for (const organisationId of ['one', 'two', 'three', 'four'])
      for (let index = 0; index < 3; index += 1) await bench.offer(`${organisationId} ${index}`, 5, { organisationId });
    // Of eight slots two are kept: six went to the first organisation, and those to the next two.
    expect(['one', 'two', 'three', 'four'].map((id) => bench.inFlight(id))).toEqual([6, 1, 1, 0]);
    await bench.time.pass(1_000);
    expect(bench.inFlight('four')).toBeGreaterThan(0);
  });

  it('leave free slots to organisations in turns', async () => {
    for (const organisationId of ['one', 'two', 'three'])
      for (let index = 0; index < 9; index += 1) await bench.offer(`${organisationId} ${index}`, 5, { organisationId });
    await bench.answer('', NO_ANSWER);
    for (let round = 0; round < 8; round += 1) {
      expect(['one', 'two', 'three'].filter((id) => bench.inFlight(id) === 0)).toEqual([]);
      await bench.answer('', NO_ANSWER);
    }
  });

  it('keep their slots where there is no room to linger', async () => {
    const webhookIds = Array.from({ length: 30 }, (_, index) => `${String.fromCharCode(97 + (index % 10))}${index}`);
    for (const webhookId of webhookIds) await bench.offer(webhookId, 2, { organisationId: webhookId });
    for (let second = 0; second < 10; second += 1) await bench.time.pass(1_000 + SOON);
    expect([bench.dispatcher.inFlight('lingering'), bench.dispatcher.inFlight('unproven'), bench.all]).toEqual([20, 8, 28]);
  });
});

describe('what the table has more of', () => {
  it('is looked for when a lane has few left, and as often as there is more', async () => {
    await bench.prove('a');
    let page = 0;
    bench.more = ({ webhookId, organisationId }) => ({
      organisationId,
      webhookId,
      deliveryIds: Array.from({ length: 4 }, (_, index) => `a page ${page} ${index}`),
      isAgain: true,
      hasMore: (page += 1) < 3,
    });
    await bench.offer('a', 6, { isAgain: true, hasMore: true });
    expect(bench.looks).toEqual([]);
    for (let round = 0; round < 9; round += 1) await bench.answer('a');
    expect(bench.looks).toHaveLength(3);
    expect(bench.looks[0]).toEqual({ lane: { organisationId: 'acme', webhookId: 'a', isAgain: true }, held: [] });
    expect(new Set(bench.recorded).size).toBe(6 + 3 * 4);
    expect(bench.dispatcher.waiting).toBe(0);
  });

  it('is not looked for again where nothing that was found could be claimed', async () => {
    await bench.prove('a');
    const claim = bench.claim;
    bench.more = ({ webhookId, organisationId }) => ({
      organisationId,
      webhookId,
      deliveryIds: ['held by somebody'],
      isAgain: true,
      hasMore: true,
    });
    await bench.offer('a', 1, { isAgain: true, hasMore: true });
    bench.claim = async () => [];
    await bench.answer('a');
    await bench.time.pass(1_000);
    expect(bench.looks).toHaveLength(1);
    bench.claim = claim;
    await bench.offer('a', 1, { isAgain: true, hasMore: true });
    await bench.time.pass(1_000);
    expect(bench.inFlight('a')).toBe(1);
  });

  it('is looked for by lanes that a sweep left out', async () => {
    await bench.offer('a', 5);
    await bench.offer('b', 1);
    expect(bench.dispatcher.lanesAtWork()).toMatchObject([{ organisationId: 'acme', webhookId: 'a', isAgain: false }]);
    for (let round = 0; round < 3; round += 1) await bench.answer('');
    expect(bench.looks).toMatchObject([{ lane: { webhookId: 'a' } }]);
  });

  it('is left to the next sweep where the look failed', async () => {
    await bench.prove('a');
    bench.more = () => {
      throw new Error('away');
    };
    await bench.offer('a', 1, { hasMore: true });
    await bench.answer('a');
    expect(bench.errors.splice(0)).toEqual([new Error('away')]);
    await bench.offer('a', 1);
    expect(bench.inFlight('a')).toBe(1);
  });
});
