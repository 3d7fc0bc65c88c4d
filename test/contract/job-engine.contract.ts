import { setTimeout as wait } from 'node:timers/promises';
import type { JobEngine, JobQueue, NewJob } from '#jobs/job-engine.js';
import { untilAccepted } from '../support/jobs.js';

/** The operations on a backend that the suite needs. */
export interface JobBackend {
  /** Opens the queues as a further process would. */
  open(): JobEngine;
  /** Kills the backend, leaves it away for a while, and starts it again. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Cuts every connection, and deletes the jobs. */
  disturb(): Promise<void>;
  /** The backend accepts data and does not answer, until the returned function is called. */
  hang(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const UNTIL_MILLISECONDS = 600_000;
const NAME = 'work';

/** The contract of every backend of jobs; `start` returns one that no other test uses. */
export function describeJobEngine(name: string, start: () => Promise<JobBackend>): void {
  describe(`jobs on ${name}`, () => {
    let backend: JobBackend;
    const opened: JobEngine[] = [];

    beforeAll(async () => {
      backend = await start();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((engine) => engine.close()));
    });
    afterAll(() => backend.stop());

    const open = (): JobEngine => {
      const engine = backend.open();
      opened.push(engine);
      return engine;
    };
    const queue = (engine = open()): JobQueue => engine.queue(NAME, { defaultJobOptions: { removeOnComplete: true } });

    /** Collects the names of the jobs that a worker processes. */
    const listen = async (engine = open()): Promise<string[]> => {
      const names: string[] = [];
      await engine.worker(NAME, async (job) => void names.push(job.name), { concurrency: 20 }).whenReady();
      return names;
    };

    it('carries jobs as they are to one of several workers, those that nobody took yet too', async () => {
      const producer = queue();
      await producer.add([]);
      await untilAdded(producer, jobsOf('many', 1_000));
      const heard = await Promise.all([listen(), listen()]);
      await until(() => heard.flat().length === 1_000);
      expect(new Set(heard.flat()).size).toBe(1_000);
    });

    it('adds a job of an id once', async () => {
      const producer = queue();
      const [job] = jobsOf('same', 1) as [NewJob];
      const named = { ...job, opts: { jobId: 'same' } };
      await untilAdded(producer, [named, named]);
      await untilAdded(producer, [named]);
      const names = await listen();
      await untilAdded(producer, jobsOf('last', 1));
      await until(() => names.includes('last-0'));
      expect(names.sort()).toEqual(['last-0', 'same-0']);
    });

    it('waits at a close for the processors that run, and calls none afterwards', async () => {
      const engine = open();
      const release = signal();
      let [running, calls] = [0, 0];
      const worker = engine.worker(
        NAME,
        async () => {
          [running, calls] = [running + 1, calls + 1];
          await release.given;
          running -= 1;
        },
        { concurrency: 20 },
      );
      await untilAdded(queue(), jobsOf('slow', 30));
      await until(() => running === 20);
      let hasClosed = false;
      const closing = worker.close().then(() => (hasClosed = true));
      // A close that does not wait would finish before a job travels to the backend and back.
      await untilAdded(queue(), jobsOf('after', 1));
      expect(hasClosed).toBe(false);
      release.give();
      await closing;
      expect([running, calls]).toEqual([0, 20]);
      const names = await listen();
      await until(() => names.includes('after-0'));
      expect(calls).toBe(20);
    });

    it('refuses jobs in time while the backend is away, and carries them when it is back, in processes that were there before', async () => {
      const producer = queue();
      const names = await listen();
      await untilAdded(producer, jobsOf('before', 1));
      await until(() => names.includes('before-0'));
      await backend.kill();
      for (const attempt of [1, 2])
        await expect(producer.add(jobsOf(`away-${attempt}`, 1))).rejects.toThrow('the queue of jobs is not reachable');
      await backend.restart();
      await untilAdded(producer, jobsOf('back', 1));
      await until(() => names.includes('back-0'));
    });

    it('carries jobs again after its connections were cut and the queue was emptied', async () => {
      const producer = queue();
      const names = await listen();
      for (const round of ['first', 'second', 'third']) {
        await backend.disturb();
        await untilAdded(producer, jobsOf(round, 1));
        await until(() => names.includes(`${round}-0`));
      }
    });

    it('refuses jobs in time while the backend hangs, and carries them afterwards', async () => {
      const producer = queue();
      const names = await listen();
      await untilAdded(producer, jobsOf('before-it-hangs', 1));
      const release = await backend.hang();
      try {
        const added = [1, 3, 50].map((count) => producer.add(jobsOf(`hanging-${count}`, count)));
        for (const adding of added) await expect(adding).rejects.toThrow('the queue of jobs is not reachable');
      } finally {
        await release();
      }
      await untilAdded(producer, jobsOf('answered', 1));
      await until(() => names.includes('answered-0'));
    });

    it('closes while the backend is away', async () => {
      const engine = open();
      await listen(engine);
      await queue(engine).whenReady();
      await backend.kill();
      try {
        await engine.close();
      } finally {
        await backend.restart();
      }
    });
  });
}

/** Jobs `name-0`, `name-1` …, whose ids are their names. */
function jobsOf(name: string, count: number): readonly NewJob[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${name}-${index}`,
    data: { index },
    opts: { jobId: `${name}-${index}` },
  }));
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + UNTIL_MILLISECONDS; !condition();) {
    if (Date.now() > deadline) throw new Error(`not within ${UNTIL_MILLISECONDS} ms: ${condition.toString()}`);
    await wait(5);
  }
}

/** Jobs that are added again after a refusal have ids, so that none is added twice. */
function untilAdded(queue: JobQueue, jobs: readonly NewJob[]): Promise<void> {
  return untilAccepted(() => queue.add(jobs));
}

function signal(): { given: Promise<void>; give(): void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}
