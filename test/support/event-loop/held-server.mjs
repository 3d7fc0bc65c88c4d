import { createServer } from 'node:http';

/** The work of a request on the main thread before its answer. */
const WORK = {
  '/burn': () => {
    const begun = process.cpuUsage();
    while (process.cpuUsage(begun).user < 120_000);
  },
  // Waits without using the processor, like a process on a busy machine.
  '/wait': () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120),
  '/nothing': () => undefined,
};

const server = createServer((request, response) => {
  WORK[request.url]();
  response.end();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`at ${server.address().port}\n`));
