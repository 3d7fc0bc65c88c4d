import { slotsOf, type Connections } from './connection-slots.js';
import { DatabaseUnavailableError } from './errors.js';

/** Two units of work fit into these connections; a third one waits for at most 20 ms. */
const connections = { options: { max: 4, connectionTimeoutMillis: 20 } } as Connections;

describe('the slots of a pool', () => {
  it('are the same for every caller', () => expect(slotsOf(connections)).toBe(slotsOf(connections)));

  it('refuse a unit of work after the time that the pool waits for a connection', async () => {
    const leave = await slotsOf(connections).enter();
    await slotsOf(connections).enter();
    await expect(slotsOf(connections).enter()).rejects.toThrow(DatabaseUnavailableError);
    leave();
    expect(await slotsOf(connections).enter()).toBeInstanceOf(Function);
  });
});
