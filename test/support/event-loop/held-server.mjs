import { createServer } from 'node:http';

/** What a request does with the main thread before it is answered. */
const WORK = {
  '/burn': () => {
    const begun = process.cpuUsage();
    while (process.cpuUsage(begun).user < 120_000);
  },
  // Waits without the processor, as a process does that others leave none.
  '/wait': () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120),
  '/nothing': () => undefined,
};

const server = createServer((request, response) => {
  WORK[request.url]();
  response.end();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`at ${server.address().port}\n`));
