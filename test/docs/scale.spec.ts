import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../../scripts/simulate-scale.mjs');
const run = (...parameters: readonly string[]): string => execFileSync(process.execPath, [SCRIPT, ...parameters], { encoding: 'utf8' });

/** The mean wait in an M/M/c queue, in mean service times (Erlang C). */
function erlangC(servers: number, load: number): number {
  const offered = servers * load;
  let blocked = 1;
  for (let server = 1; server <= servers; server += 1) blocked = (offered * blocked) / (server + offered * blocked);
  const waits = blocked / (1 - load * (1 - blocked));
  return waits / (servers * (1 - load));
}

describe('the simulation on the page on scale', () => {
  it.each([
    [1, 0.5],
    [4, 0.8],
    [16, 0.9],
  ])('waits as queueing theory says: %d servers, load %d', (servers, load) => {
    const expected = erlangC(servers, load);
    expect(Math.abs(Number(run('--queue', String(servers), String(load))) / expected - 1)).toBeLessThan(0.05);
  });

  it('is the one that the page shows', () => {
    expect(() => run('--check')).not.toThrow();
  });
});
