import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixedRing } from '../../../test/support/fixed-ring.js';
import { MemoryEventStore } from '../../../test/support/memory-event-store.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { toNewEvents } from '#commands/handle-command.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { employmentAggregate, type EmploymentEvent } from '#people/employment/employment.js';
import { sealPersonEvent } from '#people/person/person-seal.js';
import { contextOf, newOrganisation, worldForSpec } from '../../../test/support/people/world.js';
import { readPayrollChanges } from './payroll-export.api.js';
import { personAggregate } from '#people/person/person.js';

const PAGE = readFileSync(join(__dirname, '../../../docs/how-to/run-payroll.md'), 'utf8');

interface Recording {
  readonly at: string;
  readonly event: EmploymentEvent;
}

const at = (instant: string, event: EmploymentEvent): Recording => ({ at: `${instant}T10:00:00.000Z`, event });
const change = (fact_id: string, start_date: string, job_title: string): EmploymentEvent => ({
  type: 'EmploymentChanged',
  data: { fact_id, start_date, terms: { job_title } },
});
const start = (fact_id: string, start_date: string): EmploymentEvent => ({
  type: 'EmploymentStarted',
  data: { fact_id, start_date, terms: { job_title: 'Engineer', contracted_weekly_minutes: 2_250 } },
});
const correct = (fact_id: string, corrects: string, start_date: string, terms = {}): EmploymentEvent => ({
  type: 'EmploymentCorrected',
  data: { fact_id, start_date, terms, correction_reason: 'A letter says so.', corrects },
});

const HISTORIES: Readonly<Record<string, readonly Recording[]>> = {
  Ada: [at('2026-02-20', start('a1', '2026-03-02')), at('2026-04-15', change('a2', '2026-04-13', 'Lead'))],
  Grace: [
    at('2024-01-08', start('g1', '2024-01-08')),
    at('2026-03-05', change('g2', '2026-02-09', 'Analyst')),
    at('2026-03-10', change('g3', '2026-03-16', 'Lead')),
    at('2026-04-10', correct('g4', 'g3', '2026-05-01', { job_title: 'Lead' })),
  ],
  Linus: [
    at('2023-06-01', start('l1', '2023-06-01')),
    at('2026-03-12', { type: 'EmploymentEnded', data: { fact_id: 'l2', end_date: '2026-03-31' } }),
    at('2026-04-14', correct('l3', 'l2', '2026-03-27')),
  ],
  Margaret: [at('2026-04-08', start('m1', '2026-03-23'))],
};

describe('the example of docs/how-to/run-payroll.md', () => {
  const world = worldForSpec();
  let organisationId: string;
  const streams: (readonly RecordedEvent[])[] = [];

  beforeAll(async () => {
    organisationId = await newOrganisation(world, 'Europe/London');
    for (const [index, [name, recordings]] of Object.entries(HISTORIES).entries()) {
      const personId = `${index}`.repeat(12);
      const key = Buffer.alloc(32, index);
      await world.pool.query('insert into person_keys (organisation_id, person_id, key) values ($1, $2, $3)', [
        organisationId,
        personId,
        key,
      ]);
      const identity = {
        work_email: `${name}@example.com`,
        first_name: name,
        preferred_name: null,
        last_name: null,
        staff_id: null,
      };
      const created = sealPersonEvent({ type: 'PersonCreated', data: { identity } }, key);
      await world.projector.project(world.pool, [
        await record(personAggregate.streamOf(organisationId, personId), [{ at: recordings[0]!.at, event: created }]),
      ]);
      streams.push(await record(employmentAggregate.streamOf(organisationId, personId), recordings));
    }
  });

  async function record(
    stream: string,
    recordings: readonly { readonly at: string; readonly event: DomainEvent }[],
  ): Promise<readonly RecordedEvent[]> {
    let next = 0;
    const store = new MemoryEventStore(() => new Date(recordings[next++]!.at));
    await store.append(
      stream,
      'none',
      toNewEvents(
        contextOf(organisationId, { today: '2026-04-01', seed: stream }),
        stream,
        recordings.map(({ event }) => event),
        { previousHash: null },
      ),
    );
    return store.readStream(stream);
  }

  /** Returns the rows of a run on this day, in the form of the page's table. */
  async function runOn(
    day: string,
    window: { readonly from: string; readonly to: string },
  ): Promise<readonly string[]> {
    const known = streams
      .map((stream) => stream.filter(({ recordedAt }) => recordedAt < day))
      .filter((stream) => stream.length > 0);
    await world.projector.project(world.pool, known);
    const cursors = new CursorCodec(fixedRing(Buffer.alloc(32)));
    const organisation = { id: organisationId, timeZone: 'Europe/London' };
    const { rows } = await readPayrollChanges(world.pool, cursors, organisation, { ...window, limit: 200 });
    return rows.map((row) => {
      const cells = [
        row.person.display_name,
        row.change_type,
        row.effective_date,
        row.corrected_effective_date ?? '',
        row.recorded_at.slice(0, 10),
        row.is_retroactive ? 'yes' : '',
        row.changed_fields.join(', '),
      ];
      return `| ${cells.join(' | ')} |`.replace(/ {2,}/g, ' ');
    });
  }

  it('is what the program shows on 1 April, on 20 April and on 1 May', async () => {
    const march = { from: '2026-03-01', to: '2026-03-31' };
    const first = await runOn('2026-04-01', march);
    const second = await runOn('2026-04-20', march);
    expect(second.slice(0, first.length)).toEqual(first);
    const april = await runOn('2026-05-01', { from: '2026-04-01', to: '2026-04-30' });
    expect(tablesOf(PAGE)).toEqual([first, second.slice(first.length), april]);
  });
});

/** The rows of a page's tables. */
function tablesOf(page: string): readonly (readonly string[])[] {
  return [...page.matchAll(/^\|---.*\|\n((?:\|.*\|\n)+)/gm)].map(([, rows]) => rows!.trim().split('\n'));
}
