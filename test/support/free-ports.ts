import { createServer } from 'node:net';

/**
 * Below these lie the ports of services; above them those that Linux (32768, ip_local_port_range) and RFC
 * 6335 (49152) give to connections.
 */
const FIRST = 10_240;
const END = 32_768;
/** Processes of tests that run at once take different ports: each process of Jest has every sixteenth. */
export const PROCESSES = 16;

const own = Number(process.env['JEST_WORKER_ID'] ?? 0) % PROCESSES;
const count = (END - FIRST) / PROCESSES;
let next = Math.floor(Math.random() * count);

/**
 * Returns a port of the loopback address that is free now, and that no later call returns. It stays free
 * while a test kills and restarts its server, because the system gives it neither to connections nor to
 * programs that ask for any port.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < count; attempt++) {
    const port = FIRST + PROCESSES * (next++ % count) + own;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${FIRST} to ${END - 1} is free`);
}

/** Returns that many ports, each another one, as `freePort` does. */
export async function freePorts(requested: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < requested) ports.push(await freePort());
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
