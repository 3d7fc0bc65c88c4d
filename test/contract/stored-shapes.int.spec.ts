import type { Aggregate, DomainEvent } from '#kernel/aggregate.js';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { BACKGROUND, importJob, LONG_RUNNING, rebuildJob, VERIFICATION_JOB } from '#jobs/requested-work.js';
import { sealMappingEvent } from '#payroll/provider-mapping/provider-mapping.js';
import { sealValuesEvent } from '#people/custom-field-value/custom-field-value.js';
import { sealDocumentEvent } from '#people/document/document.js';
import { sealProfileEvent } from '#people/profile/personal-profile.js';
import { PERSON_KEY_BYTES, sealPersonEvent } from '#people/person/person-seal.js';
import { AGGREGATES } from '#composition/registry.js';
import { dueNow, jobOf, QUEUES } from '#webhooks/deliver/delivery-queues.js';
import { SCHEDULED_JOBS } from '#worker/background/scheduled-jobs.js';
import { declaredEvents } from '../support/event-shapes.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { shapeOf } from '../support/schema-shape.js';

/*
 * What is stored, and what receivers of webhooks see, must stay readable. A changed line breaks installations
 * that have data: undo the change, or write an upcaster or a step of the schema. `npx jest -u` with this file
 * records new lines.
 */

const text = (lines: readonly string[]): string => lines.join('\n');
/** Breaks a long line between words. */
const broken = (line: string): string => line.replace(/(.{1,114})(?: |$)/g, '$1\n    ').trimEnd();

describe('stored shapes', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: true });
  });
  afterAll(() => database.drop());

  it('events of every aggregate keep their types and the fields of their data', () => {
    const declared = new Map(declaredEvents().map(({ evolve, events }) => [evolve, events]));
    const streams = (AGGREGATES as readonly Aggregate<unknown, DomainEvent>[]).map(({ category, idKind, evolve }) => ({
      stream: `${category}${idKind === undefined ? '' : ` (ids of ${idKind})`}`,
      events: declared.get(evolve.name)!,
    }));
    const lines = streams
      .toSorted((one, other) => (one.stream < other.stream ? -1 : 1))
      .flatMap(({ stream, events }) => [`# ${stream}`, ...events.map(broken)]);
    expect(text(lines)).toMatchSnapshot();
  });

  it('events with encrypted fields keep the form in which they are stored', () => {
    const key = Buffer.alloc(PERSON_KEY_BYTES);
    const names = { first_name: 'A', preferred_name: null, last_name: 'B' };
    const identity = { work_email: 'a@b.example', ...names, staff_id: null };
    const mapping = { provider_name: 'p', resource_type: 'person', resource_id: 'r', external_id: 'x' } as const;
    const created = { ...mapping, status: 'active', last_synced_at: null } as const;
    const owner = { personId: 'psn', key };
    const stored: readonly DomainEvent[] = [
      sealPersonEvent({ type: 'PersonCreated', data: { identity } }, key),
      sealPersonEvent({ type: 'PersonIdentityChanged', data: { identity: { first_name: 'C' } } }, key),
      sealPersonEvent({ type: 'PersonErased', data: { reason: null } }, key),
      sealProfileEvent({ type: 'PersonalProfileChanged', data: { changes: { middle_names: 'M' } } }, key),
      sealValuesEvent({ type: 'PersonCustomFieldsChanged', data: { values: { field: 'text', other: null } } }, key),
      sealDocumentEvent(
        {
          type: 'DocumentRecorded',
          data: {
            person_id: 'psn',
            name: 'N',
            document_type_id: 'dt',
            content_type: 'application/pdf',
            byte_size: 1,
            issued_on: null,
            expires_on: null,
          },
        },
        key,
      ),
      sealDocumentEvent({ type: 'DocumentChanged', data: { changes: { name: 'N' } } }, key),
      sealMappingEvent({ type: 'ProviderMappingCreated', data: created }, owner),
      sealMappingEvent({ type: 'ProviderMappingChanged', data: { changes: { external_id: 'y' } } }, owner),
    ];
    expect(text(stored.map(({ type, data }) => `${type} ${formOf(data)}`))).toMatchSnapshot();
  });

  it('webhook events keep their names, and recorded events the names under which they are published', () => {
    const published = AGGREGATES.flatMap(({ category, publishedAs = {} }) =>
      Object.entries(publishedAs).map(
        ([type, names]) => `${category}: ${type} as ${typeof names === 'function' ? 'its data say' : names.join(', ')}`,
      ),
    );
    expect(
      text([...Object.entries(WEBHOOK_EVENTS).map(([name, scope]) => `${name} (${scope})`), ...published.toSorted()]),
    ).toMatchSnapshot();
  });

  it('tables keep their columns', async () => {
    const shape = await shapeOf(database.pool);
    const tables = new Map<string, string[]>();
    for (const [name, form] of shape) {
      const [, table, field] = /^column (\w+)\.(\w+)$/.exec(name) ?? [];
      if (table === undefined) continue;
      const column = `${field} ${form}${shape.has(`demand on ${table}: not null ${field}`) ? ', required' : ''}`;
      tables.set(table, [...(tables.get(table) ?? []), column]);
    }
    const lines = [...tables].map(([table, columns]) => broken(`${table}: ${columns.toSorted().join('; ')}`));
    expect(text(lines.toSorted())).toMatchSnapshot();
  });

  it('queues and jobs keep their names and the fields of their data', () => {
    const delivery = dueNow('org', { id: 'dlv', webhook_id: 'whk', event_type: 'person.created', attempt_count: 0 });
    const requested = importJob({ organisation_id: 'org', id: 'imp', isDryRun: true });
    const jobs = [requested, rebuildJob('rbd'), VERIFICATION_JOB, jobOf(delivery)];
    const lines = [
      ...[LONG_RUNNING, BACKGROUND, ...Object.values(QUEUES)].map((queue) => `queue ${queue}`),
      ...jobs.map(({ name, data }) => `job ${name} ${formOf(data)}`),
      ...SCHEDULED_JOBS.map(({ name }) => `scheduled ${name}`),
    ];
    expect(text(lines)).toMatchSnapshot();
  });
});

/** A value's fields with the kinds of their values; what is encrypted has other bytes each time. */
function formOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${formOf(one)}`)
    .toSorted()
    .join(', ')} }`;
}
