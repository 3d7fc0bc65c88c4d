import type { RecordedEvent } from '#event-store/event-store.js';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { IdMint } from '#identifiers/id-mint.js';
import { testServices } from '../../../test/support/command-services.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { newOrganisation } from '../../../test/support/api/test-api.js';
import { publicEventsOf } from './public-events.js';
import { AGGREGATES } from '#composition/registry.js';

const MINT = new IdMint(Buffer.alloc(32, 7));
const database = databaseForSpec();
let organisationId: string;
beforeAll(async () => {
  organisationId = (await newOrganisation(testServices(database), 'Pacific/Auckland')).id;
});
/** At noon in London it is the second of March in Auckland. */
const NOW = '2026-03-01T12:00:00.000Z';

function recorded(category: string, type: string, data: object = {}, more: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    id: '5f0c6a7e-6d5c-5d0b-9a53-1f6c1d7e2b11',
    stream: `${category}-${organisationId}.entity`,
    type,
    data,
    metadata: {},
    recordedAt: NOW,
    position: '1',
    revision: 0,
    ...more,
  } as RecordedEvent;
}

const published = (...events: readonly RecordedEvent[]) =>
  publicEventsOf(MINT, AGGREGATES, events).map(({ type, resourceType, resourceId }) => [
    type,
    resourceType,
    resourceId,
  ]);

describe('the published events of recorded ones', () => {
  it.each([
    ['person', 'PersonCreated', ['person.created']],
    ['person', 'PersonIdentityChanged', ['person.updated']],
    ['person', 'PersonErased', ['person.updated']],
    ['employment', 'EmploymentStarted', []],
    ['employment', 'EmploymentEnded', ['person.ended']],
    ['employment', 'EmploymentReactivated', ['person.reactivated']],
    ['employment', 'EmploymentFactWithdrawn', ['person.updated']],
    ['employment-effect', 'EmploymentTookEffect', ['person.updated']],
    ['employment-effect', 'EmploymentTookEffectAgain', []],
    ['time-off-category', 'TimeOffCategoryCreated', ['time_off_category.created']],
    ['time-off-category', 'TimeOffCategoryChanged', ['time_off_category.updated']],
    ['time-off-category', 'TimeOffCategoryArchived', ['time_off_category.archived']],
    ['org-unit', 'OrgUnitCreated', ['org_unit.created']],
    ['org-unit', 'OrgUnitChanged', ['org_unit.updated']],
    ['org-unit', 'OrgUnitArchived', ['org_unit.archived']],
    ['org-unit', 'OrgUnitReactivated', ['org_unit.reactivated']],
    ['working-pattern', 'WorkingPatternCreated', ['working_pattern.created']],
    ['working-pattern', 'WorkingPatternChanged', ['working_pattern.updated']],
    ['working-pattern', 'WorkingPatternArchived', ['working_pattern.archived']],
    ['personal-profile', 'PersonalProfileChanged', []],
    ['webhook', 'WebhookCreated', []],
    ['org-unit', 'PersonCreated', []],
  ])('%s, %s: %j', async (category, type, types) => {
    expect(published(recorded(category, type))).toEqual(types.map((one) => [one, one.split('.')[0], 'entity']));
  });

  it.each([
    ['TimeOffRequested', ['time_off.created']],
    ['TimeOffChanged', ['time_off.updated']],
    ['TimeOffCut', ['time_off.updated']],
    ['TimeOffCancelled', ['time_off.cancelled']],
    ['TimeOffApproved', ['time_off.approved', 'time_off.updated']],
    ['TimeOffRejected', ['time_off.declined', 'time_off.updated']],
  ])('of a calendar, %s names the record: %j', async (type, types) => {
    expect(published(recorded('time-off', type, { time_off_id: 'to_1' }))).toEqual(
      types.map((one) => [one, 'time_off', 'to_1']),
    );
  });

  it('of the settings names the organisation, which has one set of them', async () => {
    expect(published(recorded('time-off-settings', 'TimeOffSettingsChanged'))).toEqual([
      ['time_off_settings.updated', 'time_off_settings', organisationId],
    ]);
  });

  it.each(['EmploymentChanged', 'EmploymentCorrected'])(
    '%s is told when it is recorded, whether its day has come or not',
    (type) => {
      const dated = (start_date: string) => recorded('employment', type, { start_date });
      const updated = ['person.updated', 'person', 'entity'];
      expect(published(dated('2020-01-01'), dated('2026-03-02'), dated('2031-03-03'))).toEqual([
        updated,
        updated,
        updated,
      ]);
    },
  );

  it('has an id of its own for each, the same whenever it is told, and only ids and types', async () => {
    const approved = recorded('time-off', 'TimeOffApproved', { time_off_id: 'to_1', note: 'Zarathustra' });
    const [first, second] = publicEventsOf(MINT, AGGREGATES, [approved]);
    expect(publicEventsOf(MINT, AGGREGATES, [approved])).toEqual([first, second]);
    expect(first!.id).not.toBe(second!.id);
    expect(first).toEqual({
      organisationId,
      position: '1',
      id: expect.stringMatching(/^evt_/) as string,
      type: 'time_off.approved',
      occurredAt: NOW,
      resourceId: 'to_1',
      resourceType: 'time_off',
      traceparent: null,
    });
    expect(WEBHOOK_EVENTS[first!.type]).toBe('time_off:read');
  });
});
