import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { freePorts, PROCESSES } from './free-ports.js';

const PORTS_OF_CONNECTIONS = '/proc/sys/net/ipv4/ip_local_port_range';

describe('a free port for a server under test', () => {
  it('lies below the ports that Linux gives to connections', async () => {
    const lowest = process.platform === 'linux' ? Number((await readFile(PORTS_OF_CONNECTIONS, 'utf8')).split(/\s/)[0]) : 49_152;
    for (const port of await freePorts(20)) expect(port).toBeLessThan(lowest);
  });

  it('is never returned twice, nor while another program listens on it', async () => {
    const [first, second] = (await freePorts(2)) as [number, number];
    const busy = second + PROCESSES;
    const server = await listening(busy);
    try {
      const more = await freePorts(50);
      expect(new Set([first, second, busy, ...more]).size).toBe(53);
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  });
});

function listening(port: number): Promise<Server> {
  return new Promise((settle, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => settle(server));
  });
}
