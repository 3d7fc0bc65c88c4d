import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProposedEvent } from './events.js';
import { Log } from './log.js';

const event = (id: string): ProposedEvent => ({
  id,
  type: 'Happened',
  contentType: 'application/json',
  data: Buffer.from('{"some":"data"}'),
  metadata: Buffer.from('{}'),
});

describe('the log of the test server, on disk', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'workforce-log-'));
    file = join(directory, 'log');
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('has each event as it was, in its place, when it is opened again', () => {
    const log = new Log(file);
    log.write('stream-é', [event('a'), event('b')], 1_700_000_000_000);
    log.write('other', [event('c')]);
    log.softDelete('other');
    const { events } = log;
    log.close();
    const again = new Log(file);
    expect(again.events).toEqual(events);
    expect([again.visible('other'), again.lastRevision('other'), again.lastRevision('stream-é')]).toEqual([null, 0n, 1n]);
    again.close();
  });

  it('loses an append that was written in part, and is continued', async () => {
    const log = new Log(file);
    log.write('stream', [event('a')]);
    log.write('stream', [event('b'), event('c')]);
    log.close();
    await truncate(file, (await readFile(file)).length - 1);
    const cut = new Log(file);
    expect(cut.visible('stream')?.map(({ id }) => id)).toEqual(['a']);
    cut.write('stream', [event('d')]);
    cut.close();
    const again = new Log(file);
    expect(again.visible('stream')?.map(({ id, revision }) => [id, revision])).toEqual([
      ['a', 0n],
      ['d', 1n],
    ]);
    again.close();
  });
});
