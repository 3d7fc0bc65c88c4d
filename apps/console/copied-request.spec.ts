import { execFileSync } from 'node:child_process';
import { curlOf } from './src/screens/webhooks/exchange.js';

it('a request is copied as a command that a shell takes apart into the same texts', () => {
  const command = curlOf('POST', `{"name":"O'Brien $HOME"}`, {
    number: 1,
    url: 'https://hooks.example/in?a=1&b=`x`',
    request_headers: [
      ['Service-Webhook-Id', "it's"],
      ['host', 'hooks.example'],
      ['content-length', '24'],
    ],
    answer: null,
    resolved_ms: null,
    connected_ms: null,
    answered_ms: null,
  });
  const taken = execFileSync('sh', ['-c', `printf '%s\\n' ${command.replace(/^curl /, '')}`], { encoding: 'utf8' });
  expect(taken.trimEnd().split('\n')).toEqual([
    ...['-X', 'POST', 'https://hooks.example/in?a=1&b=`x`', '-H', "Service-Webhook-Id: it's"],
    ...['--data-raw', `{"name":"O'Brien $HOME"}`],
  ]);
});
