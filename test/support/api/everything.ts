import { randomUUID } from 'node:crypto';
import { slotOf } from '#audit/request-log/request-log.sql.js';
import { setAvatar } from '#people/picture/avatar.api.js';
import { DOCUMENT_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { recordDocument } from '#people/document/document.api.js';
import { createLocation } from '#organisation/location/location.api.js';
import { changePersonalProfile } from '#people/profile/personal-profile.api.js';
import { createProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { testContext } from '../command-services.js';
import { anchorHistory, followLog } from '../follow-log.js';
import { pngPicture } from '../pictures.js';
import { CustomFieldActions } from './custom-fields.js';
import { idsInTables, KINDS_THAT_ARE_MADE, makeDerived } from './derived-requests.js';
import { dataOf } from './http-client.js';
import { PeopleActions } from './people.js';
import { proposeJob } from './proposals.js';
import type { TestApi, TestOrganisation } from './test-api.js';
import { TimeOffActions } from './time-off.js';
import { WebhookActions } from './webhooks.js';

const AUGUST = { start_date: '2026-08-03', end_date: '2026-08-07' };
const LOCATION = {
  address_line_1: '1',
  address_line_2: null,
  address_line_3: null,
  city: 'Oslo',
  region_state: '',
  postal_code: '',
  country_code: 'NO',
  capacity: null,
};

/**
 * Creates one more resource of each kind that the API shows of an organisation; returns the ids by kind, as
 * `idKindOf` names kinds.
 */
export async function recordEverything(api: TestApi, of: TestOrganisation): Promise<ReadonlyMap<string, string>> {
  const ids = await recordByHand(api, of);
  await anchorHistory(api.services, api.database.pool);
  const made = new Map([...ids, ...(await makeMissing(api, of, new Set(ids.keys())))]);
  await anchorHistory(api.services, api.database.pool);
  await followLog(api.services, api.database.pool);
  return made;
}

/**
 * Creates one more resource of each kind that a POST of the API creates, except these kinds; returns the ids
 * by kind.
 */
async function makeMissing(
  { database }: TestApi,
  { client, row }: TestOrganisation,
  kinds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const setting = { client, idsOf: (kind: string) => idsInTables(database.pool, row.id, kind) };
  const made = new Map<string, string>();
  for (const kind of KINDS_THAT_ARE_MADE.filter((one) => !kinds.has(one)))
    made.set(kind, (await makeDerived(setting, kind)).get(kind)!);
  return made;
}

/** Creates the resources that no POST creates, or whose rules need more than a body of their class. */
async function recordByHand(api: TestApi, of: TestOrganisation): Promise<ReadonlyMap<string, string>> {
  const [people, timeOff] = [new PeopleActions(of), new TimeOffActions(api, of)];
  const context = () => testContext(of.row.id);
  const person = await people.create({ start_date: '2024-01-01' });
  await changePersonalProfile(api.services, context(), person.id, { date_of_birth: '1988-12-10' });
  await setAvatar(api.services, context(), person.id, pngPicture());
  const category = await timeOff.category();
  const adjustment = { category_id: category, amount_minutes: 450, effective_date: '2026-01-01', reason_code: 'grant' };
  const adjusted = await of.client.post<{ readonly id: string }>(
    `/people/${person.id}/time-off-balance/adjustments`,
    adjustment,
  );
  const mapping = {
    provider_name: 'xero',
    resource_type: 'person',
    resource_id: person.id,
    external_id: randomUUID(),
    status: 'active',
    last_synced_at: null,
  } as const;
  const webhooks = new WebhookActions(of);
  const webhook = await webhooks.create();
  await webhooks.test(webhook.id);
  await logRequest(api, of);
  return new Map([
    ['person', person.id],
    ['org_unit_', of.references.department_id],
    ['wp_', of.references.work_place_id],
    ['wt_', of.references.work_type_id],
    ['working_pattern_', of.references.working_pattern_id],
    ['toc_', category],
    ['to_', (await timeOff.create({ ...AUGUST, person_id: person.id, category_id: category })).id],
    ['toa_', dataOf(201, adjusted).id],
    ['doc_', await documentOf(api, of, person.id)],
    ['ef_', (await people.facts(person.id))[0]!.fact_id],
    ['cfd_', (await new CustomFieldActions(api, of).define(`field_${randomUUID().slice(0, 8)}`)).id],
    ['loc_', (await createLocation(api.services, context(), { ...LOCATION, label: randomUUID() })).id],
    ['wh_', webhook.id],
    ['whd_', (await webhooks.test(webhook.id)).delivery_id],
    ['pm_', (await createProviderMapping(api.services, context(), mapping)).id],
    ['wpr_', await proposeJob(api, of, person.id)],
    ['key_', (await api.key(of.row)).keyId],
  ]);
}

/** The request of the document's example, as the log has it. */
async function logRequest({ database }: TestApi, { row, keyId }: TestOrganisation): Promise<void> {
  await database.pool.query(
    `insert into request_log (slot, organisation_id, request_id, answered_at, method, route, status, caller_type, caller_id, milliseconds)
     values ($1, $2, 'req_WydAhe9R0QR26nTM.4', $3, 'GET', '/api/v1/people/:personId', 200, 'api_key', $4, 1.5)`,
    [slotOf(new Date()), row.id, new Date(), keyId],
  );
}

async function documentOf({ services }: TestApi, { row }: TestOrganisation, personId: string): Promise<string> {
  const type = (await DOCUMENT_TYPES.findOrCreate(services, testContext(row.id), ['Contract'])).get('contract')!.id;
  const metadata = {
    name: 'x',
    document_type_id: type,
    content_type: 'text/plain',
    byte_size: 0,
    issued_on: null,
    expires_on: null,
  };
  return (await recordDocument(services, testContext(row.id), personId, metadata)).id;
}
