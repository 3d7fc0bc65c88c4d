import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { addDays } from '#kernel/dates.js';
import type { BareSettings } from '../children/bare-server.js';
import { workingDaysFrom } from '../time-off-history.js';
import type { PreparedInstallation } from './prepared-installation.js';
import { PREFIX } from './product.js';
import { rowsWritten } from './product-data.js';

/** Far from the days that the load takes. */
const DAYS_AHEAD = 1_000;

/** Makes one request of each kind of write, and gives the rows that each left: what the bare server writes too. */
export async function sampleWrites(
  { apiKey, personIds, categories, today }: PreparedInstallation,
  productUrl: string,
  pool: Pool,
): Promise<BareSettings['writes']> {
  const write =
    (method: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    (): Promise<Response> =>
      fetch(productUrl + PREFIX + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          ...headers,
        },
        body: JSON.stringify(body),
      });
  const person = `/people/${personIds[0]!}`;
  const read = await fetch(productUrl + PREFIX + person, { headers: { authorization: `Bearer ${apiKey}` } });
  const tag = { 'if-match': read.headers.get('service-resource-etag')! };
  const [day] = workingDaysFrom(addDays(today, DAYS_AHEAD), 1);
  const timeOff = { person_id: personIds[0], category_id: categories.sickLeaveId, start_date: day, end_date: day };
  const newPerson = {
    work_email: 'sample@bench.example',
    first_name: 'Ada',
    last_name: 'Sample 1000',
    job_title: 'Engineer',
    start_date: '2026-01-05',
  };
  return {
    patch: await rowsWritten(pool, write('PATCH', person, { staff_id: 'S000000000000' }, tag), 'event and receipt'),
    person: await rowsWritten(pool, write('POST', '/people', newPerson), 'all'),
    timeOff: await rowsWritten(pool, write('POST', '/time-off', timeOff), 'event and receipt'),
  };
}
