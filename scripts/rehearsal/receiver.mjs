import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { OUTSIDE, OUTSIDE_NAME } from './network.mjs';

/**
 * An external receiver of webhooks, at a public address and with a certificate; it accepts connections once
 * that address exists.
 */
export async function openReceiver(directory) {
  const [key, certificate] = [join(directory, 'receiver.key'), join(directory, 'receiver.crt')];
  const parameters = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${OUTSIDE_NAME}`,
    '-addext',
    `subjectAltName=DNS:${OUTSIDE_NAME}`,
  ];
  execFileSync('openssl', [...parameters, '-keyout', key, '-out', certificate], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const received = [];
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('');
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    },
  );
  return {
    url: `https://${OUTSIDE_NAME}/events`,
    received,
    listen: () => new Promise((settle, reject) => server.once('error', reject).listen(443, OUTSIDE, settle)),
    close: () => new Promise((settle) => server.close(settle).closeAllConnections()),
  };
}
