import { WorkforceError } from '@workforce-hr/client';
import { ConnectionError, isOutage } from '../data/connection.js';
import { startEnglish } from '../languages/start-english.js';
import { messageOf, titleOf } from './failure-text.js';

beforeAll(startEnglish);

const answered = (status: number): WorkforceError => new WorkforceError(status, 'code', 'The answer.', null, []);

it.each([
  ['No connection', new ConnectionError('Failed to fetch')],
  ['This page has an error', new TypeError("Cannot read properties of undefined (reading 'map')")],
  ['This page has an error', new Error('the path has no parameter personId')],
  ['The service has a problem', answered(503)],
  ['That did not work', answered(409)],
  ['Not found', answered(404)],
])('"%s" is said of %p', (title, error) => {
  expect(titleOf(error)).toBe(title);
});

it('only what passes by itself is an outage', () => {
  const outages = [new ConnectionError('x'), answered(502), answered(503), answered(504), answered(429)];
  expect(outages.map(isOutage)).toEqual(outages.map(() => true));
  expect([new TypeError('x'), answered(500), answered(404)].map(isOutage)).toEqual([false, false, false]);
});

it('an error of the service keeps its message, whether or not its code has a sentence', () => {
  const messageFor = (code: string): string => messageOf(new WorkforceError(409, code, 'It overlaps.', null, []));
  expect([messageFor('conflict'), messageFor('of_a_later_version')]).toEqual(['It overlaps.', 'It overlaps.']);
});
