import { randomUUID } from 'node:crypto';
import type { CsvRow } from '#csv-import/csv-rows.js';
import { addDays, dateIn } from '#kernel/dates.js';
import { changeCustomField } from '#organisation/custom-field/custom-field.api.js';
import { changeDocument, recordDocument, removeDocument } from '#people/document/document.api.js';
import { DOCUMENT_TYPES, WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { commandOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { erasePerson } from '../people/erase-person.js';
import { importEmploymentHistory } from '#people/import/history-import.js';
import { importPeople } from '#people/import/people-import.js';
import { createProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { importTimeOff } from '#time-off/requests/time-off-import.js';
import type { ApiAnswer, ApiClient } from '../api/http-client.js';
import { newEmail } from '../api/people.js';
import { testContext } from '../command-services.js';
import { isAccepted, type Racer, type RacingSetting, wasAccepted } from './racing.js';

/** One race: one process retires a resource while another one begins to refer to it. */
export interface Scene {
  /** The stream of the retired resource. */
  readonly stream: string;
  /** Whether an append to this stream records the reference. */
  readonly isReference: (stream: string) => boolean;
  /** Retires the resource; returns whether this was accepted. */
  readonly retire: (by: Racer) => Promise<boolean>;
  readonly refer: (by: Racer) => Promise<boolean>;
}

/** A way to retire a resource and a way to refer to it. */
export interface Pair {
  readonly name: string;
  /** Whether a resource in use cannot be retired; otherwise retiring it only stops new references. */
  readonly isKept: boolean;
  readonly prepare: (setting: RacingSetting) => Promise<Scene>;
}

const TODAY = dateIn('UTC', new Date());
const LATER = addDays(TODAY, 60);
const EARLIER = addDays(TODAY, -30);

type Thing = Pick<Scene, 'stream' | 'retire'> & { readonly id: string };
type Refer = (setting: RacingSetting, id: string) => Promise<Pick<Scene, 'isReference' | 'refer'>>;

const unique = (word: string): string => `${word} ${randomUUID()}`;

const THINGS = {
  'org unit': async (setting: RacingSetting): Promise<Thing> => {
    const id = await newUnit(setting);
    return {
      id,
      stream: setting.stream('org-unit', id),
      retire: async ({ client }) => isAccepted(await client.send('POST', `/org-units/${id}/archive`)),
    };
  },
  'working pattern': async (setting: RacingSetting): Promise<Thing> => {
    const days = [{ week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 240 }];
    const id = await setting.organisation.client.make('/working-patterns', {
      label: unique('Mondays'),
      cycle_weeks: 1,
      anchor_date: '2024-01-01',
      days,
    });
    return {
      id,
      stream: setting.stream('working-pattern', id),
      retire: async ({ client }) => isAccepted(await client.send('POST', `/working-patterns/${id}/archive`)),
    };
  },
  'time-off category': async (setting: RacingSetting): Promise<Thing> => {
    const id = await setting.timeOff.category();
    return {
      id,
      stream: setting.stream('time-off-category', id),
      retire: async ({ client }) => isAccepted(await client.send('POST', `/time-off/categories/${id}/archive`)),
    };
  },
  'work place': (setting: RacingSetting) => entry(setting, WORK_PLACES, 'work-place'),
  'work type': (setting: RacingSetting) => entry(setting, WORK_TYPES, 'work-type'),
  'document type': (setting: RacingSetting) => entry(setting, DOCUMENT_TYPES, 'document-type'),
  person: async (setting: RacingSetting): Promise<Thing> => {
    const { id } = await setting.people.create({ start_date: '2020-01-01' });
    const retire = ({ services }: Racer) =>
      wasAccepted(erasePerson(services, testContext(setting.organisationId), { person_id: id, reason: null }));
    return { id, stream: setting.stream('person', id), retire };
  },
  'custom field': async (setting: RacingSetting): Promise<Thing> => {
    const { id } = await setting.customFields.define(`f_${randomUUID().replaceAll('-', '_')}`);
    const retire = ({ services }: Racer) =>
      wasAccepted(changeCustomField(services, testContext(setting.organisationId), id, { api_access: 'hidden' }));
    return { id, stream: setting.stream('custom-field', id), retire };
  },
  option: async (setting: RacingSetting): Promise<Thing> => {
    const [old, other] = [
      { value: 'old', label: 'Old' },
      { value: 'other', label: 'Other' },
    ];
    const { id } = await setting.customFields.define(`o_${randomUUID().replaceAll('-', '_')}`, {
      field_type: 'single_select',
      options: [old, other],
    });
    const retire = ({ services }: Racer) =>
      wasAccepted(changeCustomField(services, testContext(setting.organisationId), id, { options: [other] }));
    return { id, stream: setting.stream('custom-field', id), retire };
  },
  document: async (setting: RacingSetting): Promise<Thing> => {
    const { id: person } = await setting.people.create();
    const type = await DOCUMENT_TYPES.findOrCreate(setting.api.services, testContext(setting.organisationId), [
      'Contract',
    ]);
    const { id } = await recordDocument(
      setting.api.services,
      testContext(setting.organisationId),
      person,
      documentOf(type.get('contract')!.id),
    );
    const retire = ({ services }: Racer) =>
      wasAccepted(removeDocument(services, testContext(setting.organisationId), id));
    return { id, stream: setting.stream('document', id), retire };
  },
};

async function entry(setting: RacingSetting, dictionary: typeof WORK_PLACES, category: string): Promise<Thing> {
  const made = await dictionary.findOrCreate(setting.api.services, testContext(setting.organisationId), [
    unique('Entry'),
  ]);
  const { id } = [...made.values()][0]!;
  const retire = ({ services }: Racer) =>
    wasAccepted(dictionary.command(services, testContext(setting.organisationId), id, { type: 'deactivate' }));
  return { id, stream: setting.stream(category, id), retire };
}

function documentOf(document_type_id: string) {
  return {
    name: 'Contract',
    document_type_id,
    content_type: 'text/plain',
    byte_size: 1,
    issued_on: null,
    expires_on: null,
  };
}

function newUnit({ organisation }: RacingSetting, body: object = {}): Promise<string> {
  return organisation.client.make('/org-units', { name: unique('Unit'), ...body });
}

/** A reference that is recorded in this stream, by a request. */
const within = (
  stream: string,
  ask: (client: ApiClient) => Promise<ApiAnswer>,
): Pick<Scene, 'isReference' | 'refer'> => ({
  isReference: (name) => name === stream,
  refer: async ({ client }) => isAccepted(await ask(client)),
});

/** Hires a new person with the resource as this term. */
const hire =
  (term: string): Refer =>
  async (_, id) => ({
    isReference: (stream) => stream.startsWith('employment-'),
    refer: async ({ client }) =>
      isAccepted(await client.post('/people', { work_email: newEmail(), start_date: TODAY, [term]: id })),
  });

/** Gives an existing person the resource as this term, from a day on. */
const change =
  (term: string, day: string): Refer =>
  async (setting, id) => {
    const person = await setting.people.create({ start_date: '2024-01-01' });
    const ifMatch = await setting.people.employmentTag(person.id);
    const stream = setting.stream('employment', person.id);
    return within(stream, (client) =>
      client.patch(`/people/${person.id}/employment`, { start_date: day, [term]: id }, { ifMatch }),
    );
  };

const correct: Refer = async (setting, id) => {
  const person = await setting.people.create({ start_date: '2024-01-01' });
  const stream = setting.stream('employment', person.id);
  const body = { start_date: EARLIER, department_id: id, correction_reason: 'It was forgotten.' };
  return within(stream, (client) => client.post(`/people/${person.id}/employment-history`, body));
};

/** Moves a person back to a unit without naming it: the fact that moved them away gets a later date. */
const moveBack: Refer = async (setting, id) => {
  const person = await setting.people.create({ start_date: '2024-01-01', department_id: id });
  await setting.people.change(person.id, {
    start_date: EARLIER,
    department_id: setting.organisation.references.department_id,
  });
  const [, moved] = await setting.people.facts(person.id);
  const stream = setting.stream('employment', person.id);
  const body = { start_date: LATER, corrects: moved!.fact_id, correction_reason: 'It was later.' };
  return within(stream, (client) => client.post(`/people/${person.id}/employment-history`, body));
};

/** Continues a former employment in the unit. */
const goOn: Refer = async (setting, id) => {
  const person = await setting.people.create({ start_date: '2024-01-01', department_id: id });
  await setting.people.end(person.id, EARLIER);
  const [, ended] = await setting.people.facts(person.id);
  const stream = setting.stream('employment', person.id);
  const body = { start_date: LATER, corrects: ended!.fact_id, correction_reason: 'They stay.' };
  return within(stream, (client) => client.post(`/people/${person.id}/employment-history`, body));
};

const rehire =
  (day: string): Refer =>
  async (setting, id) => {
    const person = await setting.people.create({ start_date: '2024-01-01' });
    await setting.people.end(person.id, EARLIER);
    const ifMatch = await setting.people.personTag(person.id);
    const stream = setting.stream('employment', person.id);
    return within(stream, (client) =>
      client.post(`/people/${person.id}/reactivate`, { start_date: day, department_id: id }, { ifMatch }),
    );
  };

const makeBelow: Refer = async (_, id) => ({
  isReference: (stream) => stream.startsWith('org-unit-') && !stream.endsWith(id),
  refer: async ({ client }) => isAccepted(await client.post('/org-units', { name: unique('Below'), parent_id: id })),
});

const moveBelow: Refer = async (setting, id) => {
  const moved = await newUnit(setting);
  const stream = setting.stream('org-unit', moved);
  return within(stream, (client) => client.patch(`/org-units/${moved}`, { parent_id: id }));
};

const bringBackBelow: Refer = async (setting, id) => {
  const child = await newUnit(setting, { parent_id: id });
  await commandOrgUnit(setting.api.services, testContext(setting.organisationId), child, { type: 'archive' });
  const stream = setting.stream('org-unit', child);
  return within(stream, (client) => client.send('POST', `/org-units/${child}/reactivate`));
};

const makeHead: Refer = async (setting, id) => {
  const unit = await newUnit(setting);
  const stream = setting.stream('org-unit', unit);
  return within(stream, (client) => client.patch(`/org-units/${unit}`, { head_id: id }));
};

async function* linesOf(lines: readonly string[]): AsyncGenerator<CsvRow> {
  for (const [index, line] of lines.entries()) yield { line: index + 1, cells: line.split(',') };
}

const IMPORTS = { people: importPeople, history: importEmploymentHistory, timeOff: importTimeOff };

function runImport(
  kind: keyof typeof IMPORTS,
  { services }: Racer,
  organisationId: string,
  lines: readonly string[],
): Promise<boolean> {
  const pool = services.executor as Parameters<typeof importPeople>[0]['pool'];
  const settings = {
    pool,
    services,
    context: testContext(organisationId),
    today: () => TODAY,
    dryRun: false,
    createMissing: false,
    onRead: () => undefined,
    onSettled: () => undefined,
  };
  return wasAccepted(IMPORTS[kind](settings, linesOf(lines)));
}

const importPerson =
  (column: string): Refer =>
  async (setting, id) => ({
    isReference: (stream) => stream.startsWith('employment-'),
    refer: (by) =>
      runImport('people', by, setting.organisationId, [
        `work_email,start_date,${column}`,
        `${newEmail()},${TODAY},${id}`,
      ]),
  });

const importFact: Refer = async (setting, id) => {
  const person = await setting.people.create({ start_date: '2024-01-01' });
  const stream = setting.stream('employment', person.id);
  const lines = ['work_email,action,start_date,department', `${person.work_email},change,${TODAY},${id}`];
  return {
    isReference: (name) => name === stream,
    refer: (by) => runImport('history', by, setting.organisationId, lines),
  };
};

const DAYS = { start_date: '2026-03-02', end_date: '2026-03-06' };

const requestIt: Refer = async (setting, id) => {
  const person_id = await setting.timeOff.person();
  const stream = setting.stream('time-off', person_id);
  return within(stream, (client) => client.post('/time-off', { person_id, category_id: id, ...DAYS }));
};

const changeTo: Refer = async (setting, id) => {
  const person_id = await setting.timeOff.person();
  const record = await setting.timeOff.create({ person_id, category_id: await setting.timeOff.category(), ...DAYS });
  const stream = setting.stream('time-off', person_id);
  return within(stream, (client) => client.patch(`/time-off/${record.id}`, { category_id: id }));
};

const adjust: Refer = async (setting, id) => {
  const person = await setting.timeOff.person();
  const stream = setting.stream('time-off-balance', person);
  const body = { category_id: id, amount_minutes: 60, effective_date: TODAY, reason_code: 'grant' };
  return within(stream, (client) => client.post(`/people/${person}/time-off-balance/adjustments`, body));
};

const importRecord: Refer = async (setting, id) => {
  const person = await setting.people.create({ start_date: '2024-01-01' });
  const stream = setting.stream('time-off', person.id);
  const lines = [
    'work_email,category,start_date,end_date',
    `${person.work_email},${id},${DAYS.start_date},${DAYS.end_date}`,
  ];
  return {
    isReference: (name) => name === stream,
    refer: (by) => runImport('timeOff', by, setting.organisationId, lines),
  };
};

const record: Refer = async (setting, id) => {
  const person = await setting.people.create();
  return {
    isReference: (stream) => stream.startsWith('document-org_'),
    refer: ({ services }) =>
      wasAccepted(recordDocument(services, testContext(setting.organisationId), person.id, documentOf(id))),
  };
};

const retype: Refer = async (setting, id) => {
  const context = testContext(setting.organisationId);
  const type = (await DOCUMENT_TYPES.findOrCreate(setting.api.services, context, ['Contract'])).get('contract')!.id;
  const person = await setting.people.create();
  const document = await recordDocument(setting.api.services, context, person.id, documentOf(type));
  const stream = setting.stream('document', document.id);
  const refer = ({ services }: Racer) =>
    wasAccepted(changeDocument(services, testContext(setting.organisationId), document.id, { document_type_id: id }));
  return { isReference: (name) => name === stream, refer };
};

const map =
  (resource_type: 'person' | 'document'): Refer =>
  async (setting, id) => {
    const mapping = {
      provider_name: 'xero',
      resource_type,
      resource_id: id,
      external_id: randomUUID(),
      status: 'active',
      last_synced_at: null,
    } as const;
    return {
      isReference: (stream) => stream.startsWith('provider-mapping-'),
      refer: ({ services }) => mapped(createProviderMapping(services, testContext(setting.organisationId), mapping)),
    };
  };

/** A resource that no longer exists is a 404. */
async function mapped(command: Promise<unknown>): Promise<boolean> {
  try {
    return await wasAccepted(command);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('there is no such')) return false;
    throw error;
  }
}

const giveValue: Refer = async (setting, id) => {
  const person = await setting.people.create();
  const stream = setting.stream('person-custom-fields', person.id);
  const { headers } = await setting.customFields.read(person.id);
  const ifMatch = headers['service-resource-etag'] as string;
  return within(stream, (client) =>
    client.patch(`/people/${person.id}/custom-fields`, { values: [{ field_id: id, value: 'old' }] }, { ifMatch }),
  );
};

function pair(thing: keyof typeof THINGS, name: string, refer: Refer): Pair {
  return {
    name: `${thing}: ${name}`,
    // A person with a recorded end is no longer active, wherever they work until then.
    isKept: thing === 'org unit' && refer !== goOn,
    prepare: async (setting) => {
      const { id, ...retired } = await THINGS[thing](setting);
      return { ...retired, ...(await refer(setting, id)) };
    },
  };
}

/** All pairs. */
export const PAIRS: readonly Pair[] = [
  pair('org unit', 'somebody is hired into it', hire('department_id')),
  pair('org unit', 'somebody comes to be in it', change('department_id', TODAY)),
  pair('org unit', 'somebody will come to be in it', change('department_id', LATER)),
  pair('org unit', 'a correction names it', correct),
  pair('org unit', 'a correction brings somebody back into it', moveBack),
  pair('org unit', 'a former employment in it goes on', goOn),
  pair('org unit', 'somebody is hired again into it', rehire(TODAY)),
  pair('org unit', 'somebody will be hired again into it', rehire(LATER)),
  pair('org unit', 'a unit is made below it', makeBelow),
  pair('org unit', 'a unit is moved below it', moveBelow),
  pair('org unit', 'a unit below it comes back', bringBackBelow),
  pair('org unit', 'a file of people names it', importPerson('department')),
  pair('org unit', 'a file of history names it', importFact),
  pair('working pattern', 'somebody is hired with it', hire('working_pattern_id')),
  pair('working pattern', 'somebody gets it', change('working_pattern_id', TODAY)),
  pair('time-off category', 'time off is requested in it', requestIt),
  pair('time-off category', 'time off is changed to it', changeTo),
  pair('time-off category', 'a balance is adjusted in it', adjust),
  pair('time-off category', 'a file of time off names it', importRecord),
  pair('work place', 'somebody gets it', change('work_place_id', TODAY)),
  pair('work place', 'a file of people names it', importPerson('work_place')),
  pair('work type', 'somebody is hired with it', hire('work_type_id')),
  pair('document type', 'a document is recorded with it', record),
  pair('document type', 'a document gets it', retype),
  pair('person', 'they become a manager', change('manager_id', TODAY)),
  pair('person', 'they become the head of a unit', makeHead),
  pair('person', 'they are mapped to a provider', map('person')),
  pair('custom field', 'somebody gets a value in it', giveValue),
  pair('option', 'somebody gets it as a value', giveValue),
  pair('document', 'it is mapped to a provider', map('document')),
];
