import { setTimeout as wait } from 'node:timers/promises';
import type { WakeSignal, WakeSignalQueue } from '#webhooks/queue/wake-signal-queue.js';

/** The operations on an engine that the suite needs. */
export interface WakeSignalQueueEngine {
  /** Opens the queue as a further process would. */
  open(): Promise<WakeSignalQueue>;
  /** Kills the engine, leaves it away for a while, and starts it again. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Cuts every connection, and deletes the engine's wake signals where the engine can lose them. */
  disturb(): Promise<void>;
  /** The engine accepts data and does not answer, until the returned function is called. */
  hang(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const UNTIL_MILLISECONDS = 600_000;

/** The contract of every adapter of the port; `start` returns an engine that no other test uses. */
export function describeWakeSignalQueue(name: string, start: () => Promise<WakeSignalQueueEngine>): void {
  describe(`wake signals on ${name}`, () => {
    let engine: WakeSignalQueueEngine;
    const opened: WakeSignalQueue[] = [];

    beforeAll(async () => {
      engine = await start();
    });

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((queue) => queue.close()));
    });

    afterAll(() => engine.stop());

    const open = async (): Promise<WakeSignalQueue> => {
      const queue = await engine.open();
      opened.push(queue);
      return queue;
    };

    /** Opens a listener that collects what it receives. */
    const listen = async (queue: WakeSignalQueue): Promise<{ wakeSignals: WakeSignal[]; stop(): Promise<void> }> => {
      const wakeSignals: WakeSignal[] = [];
      const receiving = await queue.receive((wakeSignal) => void wakeSignals.push(wakeSignal));
      return { wakeSignals, stop: () => receiving.stop() };
    };

    it('carries a wake signal as it is from a sender to a receiver, promptly, and once in calm', async () => {
      const [sender, receiver] = await Promise.all([open(), open()]);
      const { wakeSignals } = await listen(receiver);
      const wakeSignal: WakeSignal = {
        organisationId: 'org_ä',
        webhookId: 'wh_"1"',
        deliveryIds: Array.from({ length: 100 }, (_, index) => `whd_${index}`),
      };
      await sender.send([wakeSignal]);
      await until(() => wakeSignals.length === 1);
      expect(wakeSignals).toEqual([wakeSignal]);
    });

    it('takes no wake signals for none', async () => {
      await (await open()).send([]);
    });

    it('keeps wake signals that nobody receives yet', async () => {
      await (await open()).send(wakeSignalsOf('early', 3));
      const { wakeSignals } = await listen(await open());
      await until(() => wakeSignals.length === 3);
      expect(namesOf(wakeSignals)).toEqual(['early-0', 'early-1', 'early-2']);
    });

    it('gives each of a thousand wake signals to one of two receivers', async () => {
      const sender = await open();
      const receivers = await Promise.all([listen(await open()), listen(await open())]);
      // On a busy machine a send may be refused although it arrived: what is sent again may be received twice.
      const sentAgain = new Set<string>();
      const wanted = wakeSignalsOf('many', 1_000);
      for (let start = 0; start < wanted.length; start += 100) {
        const batch = wanted.slice(start, start + 100);
        await untilSent(sender, batch, () => batch.forEach(({ webhookId }) => sentAgain.add(webhookId)));
      }
      const names = (): readonly string[] => receivers.flatMap(({ wakeSignals }) => namesOf(wakeSignals));
      await until(() => new Set(names()).size === 1_000);
      const once = names().filter((received) => !sentAgain.has(received));
      expect(once).toHaveLength(new Set(once).size);
      for (const { wakeSignals } of receivers) expect(wakeSignals.length).toBeGreaterThan(0);
    });

    it('goes on after handlers that throw, now and later', async () => {
      const queue = await open();
      const handled: string[] = [];
      await queue.receive((wakeSignal) => {
        if (wakeSignal.webhookId.startsWith('bad')) {
          if (wakeSignal.webhookId.endsWith('0')) throw new Error('thrown by a test');
          return Promise.reject(new Error('rejected by a test'));
        }
        if (/^(good|later)-/.test(wakeSignal.webhookId)) handled.push(wakeSignal.webhookId);
      });
      await untilSent(queue, [...wakeSignalsOf('bad', 60), ...wakeSignalsOf('good', 5)]);
      await until(() => new Set(handled).size === 5);
      await untilSent(queue, wakeSignalsOf('later', 1));
      await until(() => handled.includes('later-0'));
    });

    it('waits at a stop for the handlers that run, and calls none afterwards', async () => {
      const queue = await open();
      const started = signal();
      const release = signal();
      let running = 0;
      let calls = 0;
      const receiving = await queue.receive(async () => {
        calls += 1;
        running += 1;
        started.give();
        await release.given;
        running -= 1;
      });
      await queue.send(wakeSignalsOf('slow', 30));
      await started.given;
      let hasStopped = false;
      const stopping = receiving.stop().then(() => (hasStopped = true));
      // A stop that does not wait would finish before a message travels to the engine and back.
      await (await open()).send(wakeSignalsOf('after', 1));
      expect(hasStopped).toBe(false);
      release.give();
      await stopping;
      expect(running).toBe(0);
      const callsAtStop = calls;
      const { wakeSignals } = await listen(await open());
      await until(() => namesOf(wakeSignals).includes('after-0'));
      expect(calls).toBe(callsAtStop);
    });

    it('refuses wake signals in time while the engine is away, and carries them when it is back, in processes that were there before', async () => {
      const [sender, receiver] = await Promise.all([open(), open()]);
      const { wakeSignals } = await listen(receiver);
      await sender.send(wakeSignalsOf('before', 1));
      await until(() => namesOf(wakeSignals).includes('before-0'));
      await engine.kill();
      for (const attempt of [1, 2]) {
        await expect(sender.send(wakeSignalsOf(`away-${attempt}`, 1))).rejects.toThrow('the queue of webhook deliveries is not reachable');
      }
      await engine.restart();
      await untilSent(sender, wakeSignalsOf('back', 1));
      await until(() => namesOf(wakeSignals).includes('back-0'));
    });

    it('carries wake signals again after its connections were cut and the queue was emptied', async () => {
      const [sender, receiver] = await Promise.all([open(), open()]);
      const { wakeSignals } = await listen(receiver);
      for (const round of ['first', 'second', 'third']) {
        await engine.disturb();
        await untilSent(sender, wakeSignalsOf(round, 1));
        await until(() => namesOf(wakeSignals).includes(`${round}-0`));
      }
    });

    it('refuses wake signals in time while the engine hangs, and carries them afterwards', async () => {
      const [sender, receiver] = await Promise.all([open(), open()]);
      const { wakeSignals } = await listen(receiver);
      const release = await engine.hang();
      try {
        const sent = [1, 3, 50].map((count) => sender.send(wakeSignalsOf(`hanging-${count}`, count)));
        for (const sending of sent) await expect(sending).rejects.toThrow('the queue of webhook deliveries is not reachable');
      } finally {
        await release();
      }
      await untilSent(sender, wakeSignalsOf('answered', 1));
      await until(() => namesOf(wakeSignals).includes('answered-0'));
    });

    it('stops while the engine is away', async () => {
      const queue = await open();
      const { stop } = await listen(queue);
      await engine.kill();
      try {
        await stop();
        await queue.close();
      } finally {
        await engine.restart();
      }
    });
  });
}

/** Returns wake signals for the endpoints `name-0`, `name-1` …, with one delivery each. */
function wakeSignalsOf(name: string, count: number): readonly WakeSignal[] {
  return Array.from({ length: count }, (_, index) => ({
    organisationId: 'org',
    webhookId: `${name}-${index}`,
    deliveryIds: [`whd-${index}`],
  }));
}

function namesOf(wakeSignals: readonly WakeSignal[]): readonly string[] {
  return wakeSignals.map(({ webhookId }) => webhookId).sort();
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + UNTIL_MILLISECONDS; !condition();) {
    if (Date.now() > deadline) throw new Error(`not within ${UNTIL_MILLISECONDS} ms: ${condition.toString()}`);
    await wait(5);
  }
}

/** A sender reconnects when it is asked to send. */
async function untilSent(
  queue: WakeSignalQueue,
  wakeSignals: readonly WakeSignal[],
  onRefusal: () => void = () => undefined,
): Promise<void> {
  for (const deadline = Date.now() + UNTIL_MILLISECONDS; ;) {
    try {
      return await queue.send(wakeSignals);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      onRefusal();
      await wait(50);
    }
  }
}

function signal(): { given: Promise<void>; give(): void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}
