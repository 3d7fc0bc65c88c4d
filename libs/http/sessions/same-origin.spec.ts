import { assertSameOrigin } from './same-origin.js';

const PUBLIC = 'https://hr.example';

function isTaken(headers: Record<string, string>, publicUrl: string | null = null): boolean {
  try {
    assertSameOrigin({ headers }, publicUrl);
    return true;
  } catch {
    return false;
  }
}

it.each<[boolean, Record<string, string>, string | null]>([
  [true, { 'sec-fetch-site': 'same-origin' }, null],
  [false, { 'sec-fetch-site': 'same-site', origin: 'https://hr.example', host: 'hr.example' }, null],
  [false, { 'sec-fetch-site': 'cross-site', origin: 'https://hr.example', host: 'hr.example' }, PUBLIC],
  [false, { 'sec-fetch-site': 'none', host: 'hr.example' }, null],
  [true, { origin: 'https://hr.example', host: 'hr.example' }, null],
  [true, { origin: 'https://hr.example:8443', host: 'HR.example:8443' }, null],
  [false, { origin: 'https://hr.example', host: 'hr.example:8443' }, null],
  [false, { origin: 'https://evil.example', host: 'hr.example' }, null],
  [false, { origin: 'null', host: 'null' }, null],
  [false, { host: 'hr.example' }, null],
  // A proxy that sends another Host: the configuration determines the origin.
  [true, { origin: 'https://hr.example', host: 'internal:3000' }, PUBLIC],
  [false, { origin: 'http://hr.example', host: 'hr.example' }, PUBLIC],
  [false, { origin: 'https://internal:3000', host: 'internal:3000' }, PUBLIC],
])('%s for %j with PUBLIC_URL %s', (taken, headers, publicUrl) => {
  expect(isTaken(headers, publicUrl)).toBe(taken);
});
